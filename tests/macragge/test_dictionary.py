from __future__ import annotations

import json

import numpy as np
import pytest
from macragge.standard_positions import position

from broodmind.envs.core.errors import StateError
from broodmind.envs.core.record import new_log, new_states
from broodmind.envs.macragge import names
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import ACTIONS
from broodmind.envs.macragge.dictionary import from_dict, problems, to_dict
from broodmind.envs.macragge.kernel import KERNELS
from broodmind.envs.macragge.tables import tables


def twin(data):
    """Read a dictionary, write it, send it through JSON and read it again."""
    states = from_dict(data)
    again = from_dict(json.loads(json.dumps(to_dict(states, 0))))
    assert again.tobytes() == states.tobytes()
    return states


@pytest.mark.parametrize("mission", range(1, 7))
def test_standard_positions_of_all_missions_are_possible_and_survive_the_round_trip(mission):
    states = twin(position(mission))
    assert problems(states, 0) == []
    data = to_dict(states, 0)
    assert data["core"]["mission"] == names.MISSIONS[mission - 1]
    assert set(position(mission)["models"]) <= set(data["models"])
    assert set(position(mission)["pieces"]) == set(data["pieces"])


def test_every_field_of_the_record_survives():
    """Every byte that is not padding may be anything: numbers without names stay numbers."""
    states = from_dict(position(1))
    rng = np.random.default_rng(5)
    record = states[0]

    def scramble(part):
        for name in part.dtype.names:
            if part.dtype[name].names:
                scramble(part[name])
            elif part.dtype[name].subdtype and part.dtype[name].base.names:
                for entry in part[name].reshape(-1):
                    scramble(entry)
            else:
                high = 2 if name in SWITCHES else 100
                part[name] = rng.integers(0, high, part[name].shape).astype(part.dtype[name].base)

    before = record.tobytes()
    scramble(record)
    # What a name stands for must be named to be read back.
    core = record["core"]
    core["mission"], core["layout"], core["seat"], core["queue_length"] = 6, 1, 1, 96
    for column, value in (("phase", 3), ("active", 1), ("step", 2), ("fusion_core", 2), ("thunderhawk", 1)):
        record[column] = value
    for column in ("unit", "model", "target", "shooter", "squad", "core_carrier", "varras_carrier"):
        record[column] = rng.integers(-1, 35)
    for column in ("movers", "detonations"):
        record[column] = rng.integers(0, 35, record[column].shape)
    record["cells"] = rng.integers(-(2**63), 2**63 - 1, record["cells"].shape)
    record["cells"][:, 6] &= 2**40 - 1
    for frame in record["frames"]:
        frame["op"] = rng.integers(0, 3)
    for model in record["models"]:
        model["kind"], model["status"], model["group"] = (
            rng.integers(0, 8),
            rng.integers(0, 5),
            rng.integers(-1, 38),
        )
        model["mine_type"], model["marks"] = rng.integers(0, 3), rng.integers(0, 128)
    for group in record["groups"]:
        group["kind"], group["marks"] = rng.integers(0, 6), rng.integers(0, 16)
    for piece in record["pieces"]:
        piece["kind"], piece["marks"] = rng.integers(0, 6), rng.integers(0, 4)
    assert record.tobytes() != before
    with pytest.MonkeyPatch.context() as patch:
        for name in ("flaws", "problems"):
            patch.setattr(f"broodmind.envs.macragge.dictionary.{name}", lambda states, i: [])
        twin(to_dict(states, 0))
        assert from_dict(to_dict(states, 0)).tobytes() == states.tobytes()


SWITCHES = {"over", "truncated", "skip_forced", "strict", "unplanned", "crossing", "field"}


def test_a_number_without_name_is_kept_for_reading_and_refused_on_the_way_back():
    states = from_dict(position(1))
    states[0]["models"][0]["status"] = 9
    data = to_dict(states, 0)
    assert data["models"]["Varras"]["status"] == 9
    with pytest.raises(StateError, match=r"models\.Varras\.status: expected a name such as 'out', got 9"):
        from_dict(data)


def test_cells_of_the_unit_in_hand_are_worked_out_and_the_same_as_the_rules_have_them():
    states = from_dict(position(1))
    mask = np.zeros(ACTIONS.size, np.int8)
    KERNELS.legal(states, 0, tables(), mask)
    legal = {names.dest_name(k) for k in range(441) if mask[ACTIONS.encode("DEST", k)]}
    assert {"+0,+0", "+12,+0", "+0,+12"} <= legal
    assert "-6,+0" not in legal  # into the cockpit
    assert to_dict(states, 0)["movers"] == ["Varras"]


@pytest.mark.parametrize("mission", [1, 2])
@pytest.mark.parametrize("layout", [0, 1])
def test_positions_of_played_games_are_possible_and_survive_the_round_trip(mission, layout):
    states, mask, log = new_states(st.STATE, 1), np.zeros(ACTIONS.size, np.int8), new_log(0)
    core = states[0]["core"]
    core["mission"], core["layout"], core["max_turns"], core["skip_forced"] = mission, layout, 12, 1
    core["key"] = 11 * mission + layout
    KERNELS.reset(states, 0, tables(), log, mask)
    rng = np.random.default_rng(mission)
    for _ in range(120):
        assert problems(states, 0) == []
        data = json.loads(json.dumps(to_dict(states, 0)))
        assert from_dict(data).tobytes() == states.tobytes()
        if states[0]["core"]["over"]:
            break
        KERNELS.step(states, 0, tables(), int(rng.choice(np.flatnonzero(mask))), log, mask)


def test_hand_written_positions_need_little():
    states = from_dict(
        {
            "core": {"mission": "crash-site"},
            "phase": "SHOOT_SELECT",
            "exit_zone": [84, 36, 96, 60],
            "models": {"Varras": {"at": [11, 48]}, "mine 3": {"at": [30, 48]}},
        }
    )
    s = states[0]
    assert (s["core"]["seat"], s["active"], s["step"]) == (st.ULTRAMARINES, st.ULTRAMARINES, st.STEP_SHOOT)
    mine = s["models"][29]
    assert (mine["x"], mine["start_x"], mine["plan_y"], mine["group"]) == (30, 30, 48, 19)
    assert (s["groups"][19]["kind"], s["groups"][19]["living"]) == (st.GROUP_MINE, 1)


def test_a_hand_written_interrupt_gets_its_frame_and_seat():
    changes = {"phase": "CASUALTY", "unit": None, "squad": "Squad Octavian", "wounds": 2}
    s = from_dict(position(2, **changes))[0]
    assert (s["core"]["seat"], s["active"], s["frame_count"]) == (st.ULTRAMARINES, st.TYRANIDS, 1)
    assert tuple(s["frames"][0]) == (st.FRAME_CASUALTIES, st.GROUP_OCTAVIAN, 2, 0)


def refused(data):
    with pytest.raises(StateError) as caught:
        from_dict(data)
    return str(caught.value)


def changed(mission, path, value):
    data = position(mission)
    at = data
    for key in path[:-1]:
        at = at.setdefault(key, {})
    at[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("core",), None, "core: expected a dictionary with at least the mission"),
        (
            ("core", "mission"),
            "crash-sight",
            "there is no 'crash-sight', perhaps you meant 'crash-site'",
        ),
        (("core", "layout"), 1, "core.layout: expected a name such as 'random', got 1"),
        (("core", "skip_forced"), 1, "core.skip_forced: expected true or false, got 1"),
        (("core", "turn"), 2.5, "core.turn: expected a whole number -32768..32767, got 2.5"),
        (
            ("core", "dice"),
            {"queue": ["six"]},
            "core.dice.queue: expected a whole number -128..127, got",
        ),
        (("core", "dice"), {"queue": [17]}, "the dice queue holds 17; a D6 is 1..6"),
        (("phase",), "MOVE_PLANS", "phase: there is no 'MOVE_PLANS', perhaps you meant 'MOVE_PLAN'"),
        (("fase",), "OVER", "fase: there is no such key, perhaps you meant 'phase'"),
        (("models", "Varas"), {}, "models.Varas: there is no such key, perhaps you meant 'Varras'"),
        (("models", "Varras", "at"), [11], "models.Varras.at: expected a list of 2 whole numbers, got [11]"),
        (("models", "Varras"), {}, "models.Varras.at is missing"),
        (("models", "Varras", "marks"), ["tired"], "models.Varras.marks: there is no 'tired'"),
        (("models", "Varras", "marks"), "moved", "models.Varras.marks: expected a list of some of moved"),
        (("models", "Varras", "at"), [0, 48], "Varras at (0, 48) is not wholly on the table"),
        (("models", "Varras", "at"), [10, 48], "Varras and wreck W0 overlap (d2 16 < 25, MAC-B3)"),
        (("models", "Varras", "at"), [40, 32], "Varras and mine 1 overlap (d2 1 < 4, MAC-B3)"),
        (
            ("models", "Varras", "at"),
            [40, 35],
            "mine 1 touches Varras (d2 4 <= 6): it would have detonated",
        ),
        (
            ("models", "Varras", "group"),
            "Squad Octavian",
            "belongs to Squad Octavian; expected Varras",
        ),
        (("models", "Octavian"), {"at": [50, 50]}, "Octavian takes no part in crash-site (MAC-M1.1)"),
        (("models", "mine 1", "status"), "dead", "mine 1 is a Tyranid model"),
        (("models", "mine 1", "mine_type"), "acid", "mine 1 is not explosive"),
        (("pieces", "marker K0", "at"), [40, 97], "marker K0 at (40, 97) is off the table"),
        (("pieces", "marker K0", "radius"), 3, "marker K0 has radius 3; expected 1 steps (MAC-B2)"),
        (("pieces", "hive node"), {"at": [80, 80]}, "hive node does not belong to crash-site"),
        (("pieces", "wreck W3", "at"), [44, 28], "wreck W3 and wreck W2 overlap (d2 32 < 64, MAC-B3)"),
        (("groups", "mine 1"), {"living": 2}, "mine 1 has 2 living, but 1 models of it are on the table"),
        (("groups", "marker K0"), {"living": 0}, "marker K0 has 0 living, but is on the table"),
        (("exit_zone",), [96, 36, 84, 60], "is no rectangle on the table (MAC-M1.2)"),
        (("exit_zone",), [0, 0, 0, 0], "the exit zone is missing (MAC-M1.2)"),
        (("unit",), "Squad Octavian", "MOVE_PLAN needs a unit in hand with a model on the table"),
        (("phase",), "OVER", "core.over"),
        (("phase",), "BEACON", "crash-site has no decision BEACON"),
        (("phase",), "MINE_DIR", "MINE_DIR needs a mine in hand; it is number -1"),
        (("crossing",), True, "wrecks cannot be crossed in mission 1"),
        (("core_carrier",), "mine 1", "core_carrier is 27; expected an Ultramarine's slot"),
        (("cells",), ["xyz"], "cells: expected at most 112 hexadecimal digits, got 'xyz'"),
        (("frames",), "none", "frames: expected a list of at most 12 dictionaries"),
    ],
)
def test_impossible_positions_are_refused_with_key_and_reason(path, value, words):
    data = changed(1, path, value)
    if value == "OVER" and path == ("phase",):
        data["core"]["over"] = False
    assert words in refused(data)


def test_all_problems_are_listed_at_once():
    data = changed(1, ("models", "Varras", "at"), [10, 48])
    data["pieces"]["marker K0"]["radius"] = 3
    message = refused(data)
    assert "Varras and wreck W0 overlap" in message
    assert "marker K0 has radius 3" in message


def test_what_is_no_dictionary_is_refused():
    assert "a position must be a dictionary" in refused(["core"])
    assert "models: expected a dictionary by name, got list" in refused(position(1, models=["Varras"]))
    assert "models.Varras: expected a dictionary, got list" in refused(
        changed(1, ("models", "Varras"), [11, 48])
    )


@pytest.mark.parametrize(
    ("mission", "column", "value", "words"),
    [
        (1, "result", 1, "core.result is 1"),
        (1, "mission", 7, "core.mission is 7; there are missions 1..6"),
        (1, "turn", 31, "core.turn is 31"),
        (1, "queue_length", 97, "the dice queue is read from 0 to 97"),
    ],
)
def test_impossible_cores_are_found(mission, column, value, words):
    states = from_dict(position(mission))
    states[0]["core"][column] = value
    assert any(words in problem for problem in problems(states, 0))


def test_a_plan_onto_another_model_is_found():
    data = position(2)
    data["models"]["flamer"]["plan"] = list(data["models"]["Octavian"]["plan"])
    assert "the plan puts Octavian onto flamer (d2 0 < 4, MAC-B25)" in refused(data)


def test_every_mine_type_has_its_number_in_mission_6():
    data = position(6)
    data["models"]["mine 4"]["mine_type"] = "poison"
    assert "mine 4 should be of type acid" in refused(data)


def test_carried_needs_a_carrier():
    assert "varras_carrier must name a model" in refused(position(4, varras_carrier="none"))
    assert "core_carrier must name a model" in refused(position(6, core_carrier="none"))
