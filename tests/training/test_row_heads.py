"""Logits that depend on the row of the observation that an action has."""

import dataclasses
import json
from pathlib import Path

import pytest
import torch
from toy.game import GAME
from toy.learners import SMALL, make_learner

from broodmind.agents.checkpoint import CARD, export_network, load_checkpoint
from broodmind.agents.heads import CompassColumns, RowHead, RowLogits
from broodmind.agents.network import Architecture, PolicyValueNetwork
from broodmind.envs.core.errors import CheckpointError
from broodmind.envs.core.registration import env_ids, game_of
from broodmind.training.action_head import row_heads
from broodmind.training.imitation import prepare
from broodmind.training.learner import used_columns
from broodmind.training.train import train

RACE = "toy/race-v0"
LANES = GAME.observation.offsets["lanes"]
HEADS = (
    RowHead(action=GAME.actions.base["LANE"], count=3, column=LANES, width=2, units=4),
    RowHead(action=GAME.actions.base["CLOSE"], count=3, column=LANES, width=2, units=4),
)
CONFIG = SMALL.replace(row_units=4)


AROUND = CompassColumns(
    place=0,
    place_width=4,
    x=0,
    y=1,
    vectors=2,
    things=4,
    thing_count=3,
    thing_width=5,
    thing_x=1,
    thing_y=2,
    units=6,
)
DIRECTIONS = RowHead(action=1, count=8, column=19, width=2, units=5, compass=AROUND)
SEEN = 40
"""Numbers of an observation that `DIRECTIONS` fits into."""


def waken(heads: torch.nn.ModuleList) -> None:
    """Give heads that add nothing yet something to say."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weights in heads.parameters():
            weights.copy_(torch.randn(weights.shape, generator=generator))


def observations(games: int = 20) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    seen = torch.rand(games, GAME.observation.size, generator=generator)
    seen[:, LANES + 3] = 0.0  # a column that is never used, in the middle of the rows
    seen[:, 1] = 0.0
    return seen


def small_network(heads: tuple[RowHead, ...]) -> PolicyValueNetwork:
    torch.manual_seed(4)
    sizes = GAME.observation.size, GAME.actions.size
    return PolicyValueNetwork(Architecture(*sizes, policy=(16,), value=(8,), row_heads=heads))


def test_rows_are_those_of_the_verbs_of_every_game() -> None:
    assert row_heads(GAME, 4) == HEADS
    assert row_heads(GAME, 0) == ()
    for env_id in env_ids():
        game = game_of(env_id)
        for head in row_heads(game, 8):
            assert head.column + head.count * head.width <= game.observation.size
            assert head.action + head.count <= game.actions.size


def test_a_head_adds_what_it_makes_of_each_row_and_nothing_at_first() -> None:
    network, plain = small_network(HEADS), small_network(())
    plain.load_state_dict({name: w for name, w in network.state_dict().items() if "row_heads" not in name})
    seen = observations()
    torch.testing.assert_close(network(seen)[0], plain(seen)[0])
    waken(network.row_heads)
    added = network(seen)[0] - plain(seen)[0]
    lane = GAME.actions.base["LANE"]
    head = network.row_heads[0]
    assert isinstance(head, RowLogits)
    hidden = network.policy(network.features(seen))
    second = seen[:, LANES + 2 : LANES + 4]
    units = torch.relu(head.rows(second) + head.context(hidden) + head.own[1])
    torch.testing.assert_close(added[:, lane + 1], head.out(units)[:, 0], atol=1e-5, rtol=1e-4)
    others = [action for action in range(GAME.actions.size) if "lane" not in GAME.actions.name(action)]
    others = [a for a in others if GAME.actions.decode(a)[0].rows == ""]
    assert (added[:, others] == 0).all()
    torch.testing.assert_close(network.policy_logits(seen), network(seen)[0])


def test_learner_export_and_the_paths_of_sb3_compute_the_same() -> None:
    policy = make_learner(CONFIG, "random").plain_policy
    waken(policy.row_heads)
    seen = observations()
    policy.normalise(seen.mean(0), seen.std(0))
    expected, values = policy.to_network("relu")(seen)
    masks = torch.ones(len(seen), GAME.actions.size, dtype=torch.bool)
    actions = torch.arange(len(seen)) % GAME.actions.size
    wanted = torch.log_softmax(expected, 1).gather(1, actions[:, None])[:, 0]
    policy.columns = used_columns(seen)
    assert len(policy.columns) < seen.shape[1]
    narrow = policy.evaluate_actions(seen[:, policy.columns], actions, action_masks=masks)[1]
    policy.columns = None
    for found in (
        narrow,
        policy.evaluate_actions(seen, actions, action_masks=masks)[1],
        policy.evaluate_actions(seen, actions)[1],
        policy.get_distribution(seen).log_prob(actions),
    ):
        torch.testing.assert_close(found, wanted, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(policy.predict_values(seen)[:, 0], values, atol=1e-4, rtol=1e-4)
    chosen = policy(seen, deterministic=True, action_masks=masks.numpy())[0]
    torch.testing.assert_close(chosen, expected.argmax(1))


def test_a_run_trains_and_exports_them(tmp_path: Path) -> None:
    train(CONFIG, tmp_path / "run", progress=False)
    network = load_checkpoint(tmp_path / "run/generations/0000/runner_0").network
    assert network.architecture.row_heads == HEADS
    assert bool((network.row_heads.state_dict()["0.out.weight"] != 0).any())


def test_a_run_may_start_from_a_checkpoint_with_or_without_them(tmp_path: Path) -> None:
    seen = observations()
    for heads in ((), HEADS):
        network = small_network(heads)
        waken(network.row_heads)
        export_network(tmp_path / "first", network, RACE, "runner_0")
        config = CONFIG.replace(initial=str(tmp_path / "first"))
        learner = make_learner(config, "random")
        prepare(learner, config, config.agent, 3)
        torch.testing.assert_close(
            learner.plain_policy.to_network("relu")(seen)[0], network(seen)[0], atol=1e-4, rtol=1e-4
        )


def test_cards_describe_them_and_impossible_ones_are_refused(tmp_path: Path) -> None:
    for heads in ((), HEADS):
        folder = tmp_path / str(len(heads))
        export_network(folder, small_network(heads), RACE, "runner_0")
        assert ("row_heads" in json.loads((folder / CARD).read_text())["architecture"]) == bool(heads)
        assert load_checkpoint(folder).network.architecture.row_heads == heads
    folder = tmp_path / "2"
    card = json.loads((folder / CARD).read_text())
    for change, reason in (
        ({"count": 300}, "ends with action"),
        ({"width": 500}, "ends with column"),
        ({"units": 0}, "sizes from 1 up"),
        ({"column": -1}, "integers of 0"),
        ({"color": 3}, "list of objects"),
    ):
        wrong = json.loads(json.dumps(card))
        wrong["architecture"]["row_heads"][0] |= change
        (folder / CARD).write_text(json.dumps(wrong))
        with pytest.raises(CheckpointError, match=reason):
            load_checkpoint(folder)


def directions_network() -> PolicyValueNetwork:
    torch.manual_seed(5)
    return PolicyValueNetwork(Architecture(SEEN, 12, policy=(16,), value=(8,), row_heads=(DIRECTIONS,)))


def test_a_compass_adds_nothing_at_first_and_leaves_other_actions_alone() -> None:
    network, plain = (
        directions_network(),
        PolicyValueNetwork(Architecture(SEEN, 12, policy=(16,), value=(8,))),
    )
    plain.load_state_dict({name: w for name, w in network.state_dict().items() if "row_heads" not in name})
    seen = torch.randn(20, SEEN)
    torch.testing.assert_close(network.policy_logits(seen), plain.policy_logits(seen))
    waken(network.row_heads)
    changed = network.policy_logits(seen) - plain.policy_logits(seen)
    assert (changed[:, 1:9] != 0).all()
    assert (changed[:, [0, 9, 10, 11]] == 0).all()
    assert {name for name, _ in network.named_parameters()} == set(network.architecture.shapes())


def test_what_a_compass_sees_turns_with_the_world() -> None:
    head = RowLogits(DIRECTIONS, 16)
    waken(torch.nn.ModuleList([head]))
    around = head.around
    assert around is not None
    with torch.no_grad():
        head.own.zero_()  # what each direction is in itself
        place = around.place.weight
        place[:, 3:] = 0.0  # no number of the place that is not a vector
        around.things.weight[:, 1:3] = 0.0  # nor where on the table a thing is
        around.vectors.weight.zero_()
        around.vectors.weight[0, 2] = around.vectors.weight[1, 3] = 1.0  # columns 2 and 3 are an offset
    seen = torch.randn(6, SEEN)
    seen[:, 9:14] = 0.0  # one thing is not there
    turned = seen.clone()

    def quarter(east: int, north: int, about: tuple[int, int] | None = None) -> None:
        x, y = (seen[:, about[0]], seen[:, about[1]]) if about else (0.0, 0.0)
        turned[:, east], turned[:, north] = x - (seen[:, north] - y), y + (seen[:, east] - x)

    quarter(2, 3)
    for thing in (4, 14):
        quarter(thing + 1, thing + 2, (0, 1))
    hidden, plain = torch.randn(6, 16), torch.randn(6, 8)
    rows = seen[:, 19:35].reshape(6, 8, 2)
    turned[:, 19:35] = rows.roll(2, 1).reshape(6, 16)
    torch.testing.assert_close(
        head(turned, hidden, plain.roll(2, 1)), head(seen, hidden, plain).roll(2, 1), atol=1e-4, rtol=1e-4
    )


def test_a_compass_reads_the_blocks_that_its_verb_names() -> None:
    game = game_of("macragge/crash-site-v0")
    (head,) = [head for head in row_heads(game, 8) if head.compass is not None]
    compass = head.compass
    assert compass is not None
    names = [
        f"{block.name} {row} {feature[0]}"
        for block in game.observation.blocks
        for row in range(block.rows)
        for feature in block.features
    ]
    assert game.actions.decode(head.action)[0].name == "DIR"
    assert (names[compass.x], names[compass.y]) == ("hand 0 x", "hand 0 y")
    second = compass.things + compass.thing_width
    assert names[second + compass.thing_x] == "models 1 x"
    assert names[second + compass.thing_y] == "models 1 y"


def test_cards_describe_a_compass_and_impossible_ones_are_refused() -> None:
    architecture = directions_network().architecture
    described = json.loads(json.dumps(architecture.to_dict()))
    assert Architecture.from_dict(described) == architecture
    for change, reason in (
        ({"place_width": 60}, "ends with column"),
        ({"thing_y": 5}, "ends with number of a thing 5"),
        ({"units": 0}, "sizes from 1 up"),
        ({"x": "east"}, "integers of 0"),
        ({"color": 3}, "compass of a row head"),
    ):
        wrong = json.loads(json.dumps(described))
        wrong["row_heads"][0]["compass"] |= change
        with pytest.raises(CheckpointError, match=reason):
            Architecture.from_dict(wrong)


def test_a_checkpoint_without_a_compass_is_taken_over_as_it_is(tmp_path: Path) -> None:
    env_id = "macragge/crash-site-v0"
    game = game_of(env_id)
    config = CONFIG.replace(env_id=env_id, agent="tyranids_0", initial=str(tmp_path / "first"))
    heads = tuple(dataclasses.replace(head, compass=None) for head in row_heads(game, config.row_units))
    torch.manual_seed(7)
    network = PolicyValueNetwork(
        Architecture(game.observation.size, game.actions.size, policy=(16,), value=(8,), row_heads=heads)
    )
    waken(network.row_heads)
    export_network(tmp_path / "first", network, env_id, "tyranids_0")
    learner = make_learner(config, "random")
    prepare(learner, config, config.agent, 3)
    seen = torch.from_numpy(learner.games.reset())
    found = learner.plain_policy.to_network("relu")(seen)[0]
    torch.testing.assert_close(found, network(seen)[0], atol=1e-3, rtol=1e-3)
