"""Replays: recorded, read, verified, refused, drawn."""

import json

import numpy as np
import pytest

import broodmind
from broodmind.envs.core import replay as replays
from broodmind.envs.core import replay_views as views
from broodmind.envs.core.errors import ReplayError


class First:
    """Takes the first legal action."""

    spec = "first"

    def choose(self, env):
        return env.legal_actions()[0]


class Drawn:
    """Takes random legal actions."""

    spec = "drawn"

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def choose(self, env):
        return int(self.rng.choice(env.legal_actions()))


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def recorded():
    return replays.record("toy/race-v0", {"runner_0": Drawn(1), "guard_0": First()}, seed=5)


@pytest.fixture
def file(recorded, tmp_path):
    return replays.write(recorded, tmp_path / "game.jsonl")


@pytest.mark.parametrize("env_id", ["toy/race-v0", "toy/bluff-v0"])
@pytest.mark.parametrize("options", [{}, {"layout": "standard", "max_turns": 2, "skip_forced": False}])
def test_recorded_game_comes_out_the_same(env_id, options, tmp_path):
    recorded = replays.record(env_id, {"runner_0": Drawn(2), "guard_0": Drawn(3)}, 11, options)
    assert recorded.finished
    assert recorded.policies == {"runner_0": "drawn", "guard_0": "drawn"}
    path = replays.write(recorded, tmp_path / "new" / "game.jsonl")
    assert replays.read(path) == recorded
    found = replays.verify(path)
    assert found.matches
    assert found.steps == len(recorded.steps)


def test_file_is_one_json_line_per_step_between_header_and_end(file, recorded):
    lines = lines_of(file)
    assert [line["kind"] for line in lines] == ["header", *["step"] * len(recorded.steps), "end"]
    assert lines[0]["env"] == "toy/race-v0"
    assert lines[0]["format"] == replays.FORMAT
    assert lines[0]["seed"] == 5
    assert len(lines[0]["rules"]) == 16
    assert lines[-1]["rewards"]["runner_0"] == -lines[-1]["rewards"]["guard_0"]
    assert lines[1]["name"] == broodmind.make("toy/race-v0").describe_action(lines[1]["action"])


def test_writing_leaves_no_other_file_and_ordinary_rights(file):
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert file.stat().st_mode & 0o400


def test_failed_writing_leaves_the_old_file(file, tmp_path):
    before = file.read_bytes()
    with pytest.raises(ReplayError, match="cannot write"):
        replays.write_atomically(file / "below-a-file.jsonl", "x")
    with pytest.raises(ReplayError, match="folder"):
        replays.write_atomically(tmp_path, "x")
    assert file.read_bytes() == before


def test_verify_names_the_first_step_that_differs(file):
    lines = lines_of(file)
    lines[3]["state"] = "0" * 16
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = replays.verify(file)
    assert not found.matches
    assert found.differs_at == 3
    assert found.steps == 2
    assert f"step 3 ({lines[3]['agent']}: {lines[3]['name']})" in found.message


def test_verify_names_another_seed_illegal_actions_and_wrong_agents(recorded):
    recorded.seed += 1
    assert replays.verify(recorded).differs_at == 0
    recorded.seed -= 1
    good = recorded.steps[0]
    recorded.steps[0] = replays.Step(good.agent, 13, "fold", good.state)
    found = replays.verify(recorded)
    assert found.differs_at == 1
    assert "TOY-2" in found.message
    recorded.steps[0] = replays.Step("guard_0", good.action, good.name, good.state)
    assert "runner_0's decision" in replays.verify(recorded).message
    recorded.steps[0] = good
    recorded.steps.append(good)
    assert "already over" in replays.verify(recorded).message
    recorded.steps.pop()
    recorded.result["rewards"] = {"runner_0": 0.0, "guard_0": 0.0}
    assert "result differs" in replays.verify(recorded).message


def test_difference_mentions_other_rules(recorded):
    recorded.rules = "0123456789abcdef"
    assert replays.verify(recorded).matches
    recorded.seed += 1
    assert "other sources of the rules" in replays.verify(recorded).message


def test_truncated_file_is_refused_or_read_up_to_there(file, recorded):
    text = file.read_text()
    lines = text.splitlines(keepends=True)
    for cut in ("".join(lines[:-1]), "".join(lines[:3]), "".join(lines[:3]) + lines[3][:20], lines[0]):
        file.write_text(cut)
        with pytest.raises(ReplayError, match="truncated"):
            replays.read(file)
        partial = replays.read(file, allow_truncated=True)
        assert partial.steps == recorded.steps[: len(partial.steps)]
        assert not partial.finished


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda lines: lines.clear(), "empty"),
        (lambda lines: lines.__setitem__(0, "[]"), "line 1: not a replay line"),
        (lambda lines: lines.pop(0), "first line is no header"),
        (lambda lines: lines.__setitem__(2, "{oops"), "line 3: not JSON"),
        (lambda lines: lines.pop(2), "line 3: step 2 was expected"),
        (lambda lines: lines.append(lines[-1]), "more lines follow"),
        (lambda lines: lines.__setitem__(0, lines[0].replace('"format": 1', '"format": 99')), "format 99"),
        (lambda lines: lines.__setitem__(0, lines[0].replace("toy/race-v0", "toy/race-v7")), "toy/race-v7"),
        (lambda lines: lines.__setitem__(0, lines[0].replace('"seed": 5', '"seed": "5"')), "'seed' must be"),
        (lambda lines: lines.__setitem__(1, lines[1].replace('"action": ', '"action": 1.')), "'action' must"),
        (lambda lines: lines.__setitem__(-1, lines[-1].replace('"steps": ', '"steps": 9')), "end line says"),
    ],
)
def test_damaged_files_are_refused_with_a_sentence(file, change, expected):
    lines = file.read_text().splitlines()
    change(lines)
    file.write_text("".join(line + "\n" for line in lines))
    with pytest.raises(ReplayError, match=expected) as caught:
        replays.read(file)
    assert "\n" not in str(caught.value)


def test_foreign_files_are_refused(tmp_path):
    with pytest.raises(ReplayError, match="cannot read"):
        replays.read(tmp_path / "missing.jsonl")
    binary = tmp_path / "picture.jsonl"
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\xff")
    with pytest.raises(ReplayError, match="no text file"):
        replays.read(binary)


def test_options_that_the_environment_does_not_take_are_a_replay_error(recorded):
    recorded.options = {"layout": "upside-down"}
    with pytest.raises(ReplayError, match="cannot be set up"):
        replays.verify(recorded)


def test_record_refuses_missing_players():
    with pytest.raises(ReplayError, match="nobody plays guard_0"):
        replays.record("toy/race-v0", {"runner_0": First()}, 1)


def test_dice_fed_by_people_are_replayed():
    env = broodmind.make("toy/race-v0", layout="standard")
    recorder = replays.Recorder(env, {"layout": "standard"})
    recorder.reset(3, {"strict": True})
    while not env.states["core"]["over"][0]:
        names = {env.describe_action(action): action for action in env.legal_actions()}
        dice = [6] if "throw" in names else []
        if dice:
            env.feed_dice(dice)
        recorder.step(names.get("throw", min(names.values())), dice)
    assert any(step.dice == (6,) for step in recorder.replay.steps)
    assert replays.verify(recorder.replay).matches


def test_scenes_come_one_per_decision_or_thinned_out(recorded):
    assert len(list(views.scenes(recorded))) == len(recorded.steps) + 1
    assert 2 <= len(list(views.scenes(recorded, most=3))) <= 4


def test_pictures(recorded, tmp_path):
    from PIL import Image

    svg = views.write_svg(recorded, tmp_path / "board.svg", step=1)
    assert 'id="runner"' in svg.read_text()
    assert svg.read_text() != views.write_svg(recorded, tmp_path / "end.svg").read_text()
    with pytest.raises(ReplayError, match="no step 999"):
        views.write_svg(recorded, tmp_path / "none.svg", step=999)
    gif = views.write_gif(recorded, tmp_path / "new" / "game.gif", milliseconds=100, height=150)
    with Image.open(gif) as picture:
        assert getattr(picture, "n_frames", 1) > 1
        assert picture.size[1] == 150
