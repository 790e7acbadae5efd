import hashlib
import json

import numpy as np
import pytest
import safetensors.torch
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from broodmind.agents.network import from_stable_baselines
from broodmind.agents.specs import make_policy
from broodmind.envs.core.errors import CheckpointError
from broodmind.training.config import TrainingConfig
from broodmind.training.learner import LeaguePPO, draw, used_columns
from broodmind.training.split import Split
from broodmind.training.vec_env import LearnerVecEnv, Opponent

ENV = "toy/race-v0"
CONFIG = TrainingConfig(
    env_id=ENV,
    envs=8,
    rollout_steps=8,
    minibatch=24,
    hidden=(16, 16),
    value_hidden=(16,),
    threads=1,
    target_kl=0.0,
)


def make_learner(config=CONFIG, seed=0):
    env = LearnerVecEnv(
        ENV, "runner_0", config.envs, [Opponent("random", make_policy("random", ENV, "guard_0"))], seed=seed
    )
    return LeaguePPO(config, env, total_steps=1000, seed=seed)


def batch(learner, games=50):
    rng = np.random.default_rng(0)
    size, actions = learner.observation_space.shape[0], int(learner.action_space.n)
    masks = rng.random((games, actions)) < 0.3
    masks[:, 0] = True
    observations = rng.random((games, size), dtype=np.float32)
    observations[:, rng.random(size) < 0.4] = 0.0
    return torch.from_numpy(observations), masks


def narrow_evaluate(policy, observations, actions, action_masks):
    """What updates call: only columns that are used somewhere."""
    policy.columns = used_columns(observations)
    assert len(policy.columns) < observations.shape[1]
    try:
        return policy.evaluate_actions(observations[:, policy.columns], actions, action_masks=action_masks)
    finally:
        policy.columns = None


def test_lean_policy_gives_what_sb3_contrib_gives():
    policy = make_learner().policy
    observations, masks = batch(make_learner())
    actions, values, log_probabilities = policy(observations, action_masks=masks.astype(np.int8))
    theirs = MaskableActorCriticPolicy.evaluate_actions(policy, observations, actions, action_masks=masks)
    ours = narrow_evaluate(policy, observations, actions, torch.from_numpy(masks))
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other)
    torch.testing.assert_close(values, theirs[0])
    torch.testing.assert_close(log_probabilities, theirs[1])
    best, _, _ = policy(observations, deterministic=True, action_masks=masks)
    their_best, _, _ = MaskableActorCriticPolicy.forward(
        policy, observations, deterministic=True, action_masks=masks
    )
    torch.testing.assert_close(best, their_best)


def test_lean_policy_has_the_gradients_of_sb3_contrib():
    policy = make_learner().policy
    observations, masks = batch(make_learner())
    actions = torch.from_numpy(masks.argmax(axis=1))
    legal = torch.from_numpy(masks)
    gradients = []
    for values, log_probabilities, entropies in (
        narrow_evaluate(policy, observations, actions, legal),
        MaskableActorCriticPolicy.evaluate_actions(policy, observations, actions, action_masks=legal),
    ):
        policy.optimizer.zero_grad()
        assert entropies is not None
        (values.sum() + log_probabilities.sum() + entropies.sum()).backward()
        gradients.append([p.grad.clone() for p in policy.parameters()])
    for mine, other in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)


def test_normalised_policy_is_exported_as_a_plain_one():
    learner = make_learner()
    observations, masks = batch(learner)
    policy = learner.plain_policy
    seen = observations * 3 + 1
    policy.normalise(seen.mean(0), torch.where(torch.arange(seen.shape[1]) % 5 == 0, 0.0, seen.std(0)))
    assert (policy.observation_scale > 1e-3).all()
    network = from_stable_baselines(policy.plain_state_dict(), "relu")
    logits, values = network(observations)
    actions = torch.from_numpy(masks.argmax(axis=1))
    expected = MaskableActorCriticPolicy.evaluate_actions(policy, observations, actions, action_masks=masks)
    log_probabilities = torch.log_softmax(torch.where(torch.from_numpy(masks), logits, -1e8), dim=1)
    torch.testing.assert_close(values, expected[0].flatten(), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(
        log_probabilities.gather(1, actions[:, None])[:, 0], expected[1], atol=1e-5, rtol=1e-4
    )
    ours = narrow_evaluate(policy, observations, actions, torch.from_numpy(masks))
    for mine, other in zip(ours, expected, strict=True):
        torch.testing.assert_close(mine, other, atol=1e-5, rtol=1e-4)


def test_what_training_never_shows_does_not_sway_a_held_out_mission():
    learner = make_learner()
    observations, _ = batch(learner)
    policy = learner.plain_policy
    never = torch.arange(observations.shape[1]) % 5 == 0
    policy.normalise(observations.mean(0), torch.where(never, 0.0, 1.0))
    network = from_stable_baselines(policy.plain_state_dict(), "relu")
    shown = torch.where(never, observations + 1.0, observations)
    for one, other in zip(network(observations), network(shown), strict=True):
        assert torch.equal(one, other)
    assert not torch.equal(network(observations)[0], network(observations + 1.0)[0])


def test_drawn_actions_follow_the_distribution_and_are_legal():
    torch.manual_seed(0)
    masks = torch.tensor([[False, True, True, False, True, False]])
    probabilities = MaskableCategorical(
        logits=torch.tensor([[5.0, 0.0, 1.0, 5.0, 2.0, 5.0]]), masks=masks
    ).probs
    drawn = draw(probabilities.repeat(200_000, 1))
    counts = torch.bincount(drawn, minlength=6) / len(drawn)
    assert counts[~masks[0]].sum() == 0
    torch.testing.assert_close(counts, probabilities[0], atol=0.005, rtol=0)


def test_minibatches_cover_the_rollout_once_and_join_a_short_rest():
    learner = make_learner()
    learner.learn(64, log_interval=None)
    buffer = learner.rollout_buffer
    sizes, rewards = [], []
    for sample in buffer.get(24):
        sizes.append(len(sample.actions))
        rewards.append(sample.returns)
        assert sample.observations.shape[1] == buffer.used.sum() < buffer.obs_shape[0]
        assert sample.action_masks.dtype == torch.bool
        assert sample.action_masks[torch.arange(len(sample.actions)), sample.actions.long()].all()
    assert sizes == [24, 24, 16]
    assert [len(s.actions) for s in buffer.get(60)] == [64]
    np.testing.assert_allclose(np.sort(torch.cat(rewards)), np.sort(buffer.returns.ravel()))


def test_annealing_follows_the_whole_run():
    learner = make_learner()
    assert learner.annealed(1.0, 0.0) == 1.0
    learner.num_timesteps = 250
    assert learner.annealed(1.0, 0.0) == 0.75
    learner.num_timesteps = 5000
    assert learner.annealed(1.0, 0.5) == 0.5


def test_state_is_restored_exactly(tmp_path):
    learner = make_learner()
    learner.learn(128, log_interval=None)
    learner.save_state(tmp_path, "runner_0")
    twin = make_learner(seed=9)
    twin.load_state(tmp_path, "runner_0")
    learner.env.restored = True
    for one in (learner, twin):
        one.reseed(4)
        one.env.rng = np.random.default_rng(6)
        one._last_obs = None
        one.learn(128, reset_num_timesteps=False, log_interval=None)
    assert learner.num_timesteps == twin.num_timesteps == 256
    for mine, other in zip(learner.policy.parameters(), twin.policy.parameters(), strict=True):
        assert torch.equal(mine, other)


def test_damaged_state_is_refused(tmp_path):
    learner = make_learner()
    learner.save_state(tmp_path, "a")
    file = tmp_path / "a.safetensors"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(CheckpointError, match="damaged"):
        learner.load_state(tmp_path, "a")
    with pytest.raises(CheckpointError, match="cannot restore"):
        learner.load_state(tmp_path, "b")
    small = CONFIG.replace(hidden=[8])
    learner.save_state(tmp_path, "c")
    with pytest.raises(CheckpointError, match="cannot restore"):
        make_learner(small).load_state(tmp_path, "c")


def test_impossible_games_are_refused(tmp_path):
    """Compiled rules trust records: a forged one with a right checksum must not reach them."""
    env_id = "macragge/rescue-varras-v0"
    config = CONFIG.replace(env_id=env_id, envs=2, rollout_steps=8, minibatch=8)
    opponent = Opponent("random", make_policy("random", env_id, "tyranids_0"))
    env = LearnerVecEnv(env_id, "ultramarines_0", 2, [opponent])
    env.batch.reset()
    learner = LeaguePPO(config, env, total_steps=1000, seed=0)
    learner.save_state(tmp_path, "a")
    learner.load_state(tmp_path, "a")
    file, counters = tmp_path / "a.safetensors", tmp_path / "a.json"
    tensors = safetensors.torch.load(file.read_bytes())
    before = env.batch.save_state()
    itemsize = env.game.state_dtype.itemsize
    for forged in (
        np.full((2, itemsize), 1, np.uint8),
        np.zeros((2, itemsize), np.int8),
        np.zeros((1, 3), np.uint8),
    ):
        data = safetensors.torch.save({**tensors, "games.states": torch.from_numpy(forged)})
        file.write_bytes(data)
        counters.write_text(
            json.dumps({**json.loads(counters.read_text()), "sha256": hashlib.sha256(data).hexdigest()})
        )
        with pytest.raises(CheckpointError, match="cannot restore"):
            learner.load_state(tmp_path, "a")
        assert env.batch.save_state() == before
    mission = env.batch.states.copy()
    mission["models"]["status"][:, 5] = 9
    data = safetensors.torch.save(
        {**tensors, "games.states": torch.from_numpy(mission.view(np.uint8).reshape(2, -1))}
    )
    file.write_bytes(data)
    counters.write_text(
        json.dumps({**json.loads(counters.read_text()), "sha256": hashlib.sha256(data).hexdigest()})
    )
    with pytest.raises(CheckpointError, match="position of game 0 is impossible"):
        learner.load_state(tmp_path, "a")


def test_split_shares():
    split = Split(1.0, 1.0, 2.0, 4.0) + Split() - Split(0.0, 0.0, 0.0, 0.0)
    assert split.shares() == {"environment": 0.125, "opponent": 0.125, "policy": 0.25, "learn": 0.5}
    assert Split().shares()["learn"] == 0.0
