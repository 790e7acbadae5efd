"""A campaign is played by the checkpoints of its missions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from broodmind.agents import Policy, make_policy
from broodmind.agents import checkpoint as checkpoint_module
from broodmind.agents.checkpoint import CARD, export_network
from broodmind.agents.network import Architecture, NetworkPolicy, PolicyValueNetwork
from broodmind.agents.parts import PartsPolicy
from broodmind.agents.random import RandomPolicy
from broodmind.agents.scripted import ScriptedPolicy
from broodmind.agents.seeds import SeededPolicy
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.errors import CheckpointError
from broodmind.envs.core.registration import env_ids, game_of
from broodmind.envs.core.schema import env_folder
from broodmind.training.evaluate import evaluate

CAMPAIGN = "overkill/campaign-v0"
GAME = game_of(CAMPAIGN)
PARTS = tuple(GAME.mission(CAMPAIGN).parts)
AGENT = "cult_0"


def write(
    folder: Path, *ids: str, favourite: int = 0, held_out: tuple[str, ...] = (), agent: str = AGENT
) -> Path:
    """Write a checkpoint that prefers one action whatever it sees; return its folder."""
    network = PolicyValueNetwork(Architecture(GAME.observation.size, GAME.actions.size, policy=(), value=()))
    with torch.no_grad():
        network.logits.weight.zero_()
        network.logits.bias.zero_()
        network.logits.bias[favourite] = 1.0
    export_network(folder, network, ids, agent, held_out=held_out)
    return folder


def write_each(folder: Path, agent: str = AGENT) -> Path:
    """Write a checkpoint for each mission, which prefers the action of its number; return the folder of them all."""
    for number, env_id in enumerate(PARTS):
        mission = env_folder(env_id).partition("/")[2]
        write(folder / mission / agent, env_id, favourite=number, agent=agent)
    return folder


def choices(policy: Policy) -> list[int]:
    """Return what a policy chooses in each mission of the campaign, if everything is legal."""
    assert isinstance(policy, SeededPolicy)
    observations = np.zeros((len(PARTS), GAME.observation.size), np.float32)
    for row, feature in enumerate(GAME.mission(CAMPAIGN).parts.values()):
        observations[row, GAME.observation.column(feature)] = 1.0
    masks = np.ones((len(PARTS), GAME.actions.size), np.int8)
    return policy.act_seeded(observations, masks, np.arange(len(PARTS), dtype=np.int64)).tolist()


def test_parts_are_missions_of_the_same_game_and_told_by_the_observation() -> None:
    whole = [env_id for env_id in env_ids() if game_of(env_id).mission(env_id).parts]
    assert whole == [CAMPAIGN]
    assert PARTS == tuple(mission.id for mission in GAME.missions[:-1])
    for env_id, feature in GAME.mission(CAMPAIGN).parts.items():
        name = GAME.observation["globals"].features[GAME.observation.column(feature)][1]
        assert name == f"1 in mission {GAME.mission(env_id).number}"


@pytest.mark.skipif(INTERPRETED, reason="takes minutes")
def test_the_campaign_shows_both_seats_which_mission_is_played() -> None:
    import broodmind

    env = broodmind.make(CAMPAIGN)
    columns = [GAME.observation.column(feature) for feature in GAME.mission(CAMPAIGN).parts.values()]
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    seen: set[int] = set()
    while env.agents and len(seen) < 3:
        for agent in env.possible_agents:
            shown = env.observe(agent)["observation"][columns]
            assert shown.tolist() == [float(k + 1 == env.states["mission"][0]) for k in range(len(PARTS))]
        seen.add(int(env.states["mission"][0]))
        env.step(int(rng.choice(env.legal_actions())))


def test_each_mission_of_the_campaign_is_played_by_the_checkpoint_for_it(tmp_path: Path) -> None:
    folder = write_each(tmp_path)
    policy = make_policy(f"checkpoint:{folder}", CAMPAIGN, AGENT)
    assert isinstance(policy, PartsPolicy)
    assert choices(policy) == list(range(len(PARTS)))
    assert policy.spec == f"checkpoint:{folder}"
    assert policy.held_out == (CAMPAIGN,)
    single = make_policy(f"checkpoint:{folder}", PARTS[4], AGENT)
    assert isinstance(single, NetworkPolicy)
    assert choices(single) == [4] * len(PARTS)


def test_a_checkpoint_of_all_missions_plays_the_campaign(tmp_path: Path) -> None:
    policy = make_policy(f"checkpoint:{write(tmp_path / 'x', *PARTS, favourite=3)}", CAMPAIGN, AGENT)
    assert isinstance(policy, PartsPolicy)
    assert len(policy.policies) == 1
    assert choices(policy) == [3] * len(PARTS)


def test_a_checkpoint_from_whose_training_the_campaign_was_held_out_plays_it_as_a_whole(
    tmp_path: Path,
) -> None:
    folder = write(tmp_path / "x", *PARTS, favourite=3, held_out=(CAMPAIGN,))
    policy = make_policy(f"checkpoint:{folder}?temperature=0.5", CAMPAIGN, AGENT)
    assert isinstance(policy, NetworkPolicy)
    assert (policy.held_out, policy.temperature) == ((CAMPAIGN,), 0.5)


def test_the_shipped_players_of_the_campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_module, "SHIPPED", tmp_path)
    game = tmp_path / "overkill"
    with pytest.raises(
        CheckpointError, match=r"mission by mission: no checkpoint for cult_0 of overkill/kill"
    ):
        make_policy("checkpoint:shipped", CAMPAIGN, AGENT)
    write(game / "killstorm" / AGENT, PARTS[0], favourite=50)
    with pytest.raises(CheckpointError, match="no checkpoint for cult_0 of overkill/vox-noctis-v0"):
        make_policy("checkpoint:shipped", CAMPAIGN, AGENT)
    write(game / "all" / AGENT, *PARTS, favourite=60, held_out=(CAMPAIGN,))
    policy = make_policy("checkpoint:shipped", CAMPAIGN, AGENT)  # its own where a mission has one
    assert choices(policy) == [50] + [60] * 8
    write(game / "campaign" / AGENT, CAMPAIGN, favourite=70)
    assert choices(make_policy("checkpoint:shipped", CAMPAIGN, AGENT)) == [70] * 9


def test_a_mission_without_a_fitting_checkpoint_is_named(tmp_path: Path) -> None:
    folder = write_each(tmp_path)
    card = folder / "recover" / AGENT / CARD
    data = json.loads(card.read_text())
    data["environments"][0]["schema_hash"] = "0" * 64
    card.write_text(json.dumps(data))
    with pytest.raises(
        CheckpointError, match=r"cannot play overkill/campaign-v0 mission by mission.*recover"
    ):
        make_policy(f"checkpoint:{folder}", CAMPAIGN, AGENT)
    with pytest.raises(CheckpointError, match="no checkpoint"):
        make_policy(f"checkpoint:{tmp_path / 'none'}", CAMPAIGN, AGENT)
    one = write(tmp_path / "one", PARTS[0])
    with pytest.raises(CheckpointError, match="not for overkill/vox-noctis-v0"):
        make_policy(f"checkpoint:{one}", CAMPAIGN, AGENT)
    with pytest.raises(CheckpointError, match="deathwatch_0"):
        make_policy(f"checkpoint:{folder}", CAMPAIGN, "deathwatch_0")


def test_what_is_no_player_of_parts_is_refused() -> None:
    random = RandomPolicy()
    with pytest.raises(ValueError, match="a column for each policy"):
        PartsPolicy("x", [random], [0, 1])
    with pytest.raises(ValueError, match="positions"):
        PartsPolicy("x", [ScriptedPolicy(GAME)], [0])
    policy = PartsPolicy("x", [random, random], [0, 1])
    masks, seeds = np.ones((1, 4), np.int8), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="does not show which part"):
        policy.act_seeded(np.zeros((1, 4), np.float32), masks, seeds)
    with pytest.raises(ValueError, match="a row of an observation"):
        policy.act_seeded(np.zeros((1, 1), np.float32), masks, seeds)
    assert policy.act(np.ones(4, np.float32), np.eye(4, dtype=np.int8)[2], np.random.default_rng(0)) == 2
    assert len(policy.act_seeded(np.zeros((0, 4), np.float32), masks[:0], seeds[:0])) == 0


@pytest.mark.skipif(INTERPRETED, reason="takes minutes")
def test_a_campaign_is_evaluated_with_the_checkpoints_of_its_missions(tmp_path: Path) -> None:
    folder = write_each(write_each(tmp_path), "deathwatch_0")
    specs = dict.fromkeys(GAME.agents, f"checkpoint:{folder}?sample")
    found = evaluate(CAMPAIGN, specs, games=1, num_envs=1)
    assert all(seat.held_out for seat in found.seats)
    victories = sum(seat.final_info["victories"] for seat in found.seats)
    assert 0 <= victories <= 9
