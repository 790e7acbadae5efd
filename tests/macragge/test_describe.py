from __future__ import annotations

import json

import numpy as np
import pytest
from macragge.standard_positions import position

from broodmind.envs.macragge import describe, names
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import ACTIONS
from broodmind.envs.macragge.dictionary import from_dict


def label(states, verb, argument=0):
    return describe.action_label(states, 0, ACTIONS.encode(verb, argument))


def dest(offset):
    return names.DEST_OFFSETS.index(offset)


def row(kind, *arguments):
    return np.array([kind, *arguments, *[0] * (7 - len(arguments))], np.int32)


# -- names --------------------------------------------------------------------------------------------


def test_offsets_are_in_the_order_of_the_ledger():
    assert len(names.DEST_OFFSETS) == len(set(names.DEST_OFFSETS)) == 441
    keys = [(dx * dx + dy * dy, dy, dx) for dx, dy in names.DEST_OFFSETS]
    assert keys == sorted(keys)
    assert names.DEST_OFFSETS[0] == (0, 0)


def test_names_of_actions_are_unique_and_have_no_stray_spaces():
    table = list(ACTIONS.names())
    assert len(table) == len(set(table)) == ACTIONS.size
    assert all(name == name.strip().replace("  ", " ") for name in table)


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (names.group_name, 38),
        (names.model_name, 35),
        (names.piece_name, 14),
        (names.dest_name, 441),
        (names.direction_name, 16),
        (names.lane_name, 31),
        (names.missile_name, 2),
        (names.spawn_name, 3),
    ],
)
def test_names_exist_for_every_argument_and_for_no_other(function, count):
    assert len({function(k) for k in range(count)}) == count
    for wrong in (-1, count):
        with pytest.raises(ValueError, match=f"expected 0..{count - 1}"):
            function(wrong)


def test_directions_go_counter_clockwise_from_east_as_bearings_do():
    for i, (x, y) in enumerate([(1000, 0), (924, 383), (707, 707), (383, 924), (0, 1000), (-383, 924)]):
        assert names.bearing_name(x, y) == names.direction_name(i)
    assert names.direction_name(12) == names.bearing_name(0, -5) == "south"
    assert names.bearing_name(0, 0) == "nowhere"


def test_lengths_are_said_in_inches():
    assert [names.inches(steps) for steps in (2, 11, 12, 3.2)] == [
        "1 inch",
        "5.5 inches",
        "6 inches",
        "1.6 inches",
    ]


# -- the decision at hand -----------------------------------------------------------------------------


def test_questions_and_phase_names_of_every_phase():
    states = from_dict(position(6))
    seen = set()
    for phase in range(st.OVER + 1):
        states[0]["phase"] = phase
        assert describe.phase_name(states, 0) == st.PHASE_NAMES[phase]
        question = describe.question(states, 0)
        assert question[0].isupper()
        assert question.endswith("." if phase == st.OVER else "?")
        seen.add(question)
    assert len(seen) == st.OVER + 1


def test_a_question_names_what_is_in_hand():
    assert describe.question(from_dict(position(1)), 0) == "Where does Varras go (up to 6 inches)?"
    changes = {"phase": "CASUALTY", "unit": None, "squad": "Squad Octavian", "wounds": 2}
    states = from_dict(position(2, **changes))
    assert "Squad Octavian has 2 failed saves" in describe.question(states, 0)
    mine = from_dict(position(1, phase="MINE_DIR", unit=None, model="mine 2", die=4))
    assert describe.question(mine, 0) == "In which direction does mine 2 drift (4 inches)?"


# -- actions ------------------------------------------------------------------------------------------


def test_a_single_model_moves_to_a_cell():
    states = from_dict(position(1))
    assert label(states, "DEST", dest((9, 6))) == "Varras moves 5.4 inches east-north-east to (20, 54)"
    assert label(states, "DEST", dest((0, 0))) == "Varras moves nowhere (+0,+0)"
    assert label(states, "PASS") == "Varras: stay where you are"


def test_a_squad_marches_and_its_models_get_other_cells():
    states = from_dict(position(2, phase="MOVE_PLAN"))
    assert label(states, "DEST", dest((-6, 0))) == "Squad Octavian marches 3 inches west (-6,+0)"
    assert label(states, "CROSS").startswith("Squad Octavian crosses wreckage, the higher of two dice")
    states = from_dict(position(2, phase="MOVE_CELL", model="flamer"))
    assert label(states, "DEST") == "Flamer keeps its planned cell"
    assert label(states, "DEST", dest((0, 2))) == "Flamer ends at (78, 51), 1 inch north of the planned cell"
    states = from_dict(position(2))
    assert label(states, "MODEL", 2) == "Give flamer another cell"
    assert label(states, "PASS") == "Carry out the plan of Squad Octavian"


def test_shots_mines_and_losses():
    shooting = from_dict(position(1, phase="SHOOT_SELECT", unit=None))
    assert label(shooting, "TARGET", st.FIRST_MINE_GROUP) == "Varras shoots at mine 1, 15.3 inches away"
    assert label(shooting, "PASS") == "Varras holds his fire"
    mine = from_dict(position(1, phase="MINE_DIR", unit=None, model="mine 2", die=4))
    assert label(mine, "DIR", 2) == "Mine 2 drifts 4 inches north-east"
    spawn = from_dict(position(1, phase="SPAWN", unit=None))
    assert label(spawn, "TARGET", st.FIRST_MARKER_GROUP + 1) == "A mine comes back at marker K1"
    changes = {"phase": "CASUALTY", "unit": None, "squad": "Squad Octavian", "wounds": 2}
    assert label(from_dict(position(2, **changes)), "MODEL", 3) == "Remove bolter 1"
    flame = from_dict(position(2, phase="FLAME", shooter="flamer"))
    assert label(flame, "DIR", 8) == "The flamer fires west"


def test_units_of_several_are_plural():
    states = from_dict(position(4))
    assert label(states, "SELECT", 3) == "Genestealers A charge next"
    assert label(states, "CROSS").startswith("Genestealers A cross") is False  # no unit is in hand
    states[0]["unit"] = 3
    assert label(states, "CROSS").startswith("Genestealers A cross wreckage, the highest of three dice")


@pytest.mark.parametrize("mission", range(1, 7))
def test_every_action_has_its_own_label_in_every_phase(mission):
    states = from_dict(position(mission))
    if int(states[0]["unit"]) < 0:
        states[0]["unit"] = 1
    states[0]["model"] = 1
    for phase in range(st.OVER):
        states[0]["phase"] = phase
        labels = [describe.action_label(states, 0, action) for action in range(ACTIONS.size)]
        by_verb: dict[str, list[str]] = {}
        for action, text in enumerate(labels):
            assert text
            assert text[0].isupper()
            by_verb.setdefault(ACTIONS.decode(action)[0].name, []).append(text)
        for verb, texts in by_verb.items():
            assert len(texts) == len(set(texts)), (phase, verb)
    with pytest.raises(ValueError, match="outside"):
        describe.action_label(states, 0, ACTIONS.size)


# -- events -------------------------------------------------------------------------------------------

EXAMPLES = {
    st.EVENT_TURN_BEGAN: ((0, 3), "Turn 3: the Ultramarines begin theirs."),
    st.EVENT_ROLLED: (
        (4, st.ROLL_TO_HIT, 27, 4, 0),
        "To hit mine 1: 4 (4+ needed, success).",
    ),
    st.EVENT_MINE_DRIFTED: ((28, 50, 50, 54, 50, 0), "Mine 2 drifts 2 inches east to (54, 50)."),
    st.EVENT_UNIT_MOVED: ((1, 5), "Squad Octavian completes its move (5 models)."),
    st.EVENT_MODEL_MOVED: ((1, 10, 10, 10, 13), "Octavian moves 1.5 inches north to (10, 13)."),
    st.EVENT_CROSS_DECLARED: ((1, 5), "Squad Octavian crosses wreckage, up to 5 inches."),
    st.EVENT_SHOT: ((0, 17, 27), "Varras shoots at mine 1."),
    st.EVENT_FLAME: ((2, 4, 30, 31), "The flamer fires north from (30, 31)."),
    st.EVENT_DETONATED: ((27, 5, 6, 0), "Mine 1 detonates at (5, 6)."),
    st.EVENT_BLAST_HIT: ((3, 1), "The blast hits bolter 1, wholly covered."),
    st.EVENT_SAVED: ((3, 1), "Bolter 1 is saved by armour."),
    st.EVENT_SLAIN: ((0, 7, 8), "Varras is slain at (7, 8)."),
    st.EVENT_WOUNDED: ((1, 1), "Squad Octavian has 1 failed save; its player chooses who is removed."),
    st.EVENT_MARKER_DESTROYED: ((5,), "Marker K0 is destroyed."),
    st.EVENT_MINE_RETURNED: ((29, 6, 40, 41), "Mine 3 comes back at marker K1, at (40, 41)."),
    st.EVENT_GAME_OVER: ((-2, st.OVER_VARRAS_DEAD), "The Tyranids win: Varras is dead."),
    st.EVENT_SPARED: ((28,), "Mine 2 is unharmed."),
    st.EVENT_CORE_TAKEN: ((0,), "Varras has the fusion core."),
    st.EVENT_FIELD_DROPPED: ((12,), "Projector P3 is disabled: the power field is down."),
    st.EVENT_UNIT_PLACED: ((4, 3, 2), "Genestealers B appear at wreck W2 (3 models)."),
    st.EVENT_CHARGED: ((3, 1), "Genestealers A charge Squad Octavian."),
    st.EVENT_STRUCK: ((11, 1), "Genestealer 1 strikes at Octavian."),
    st.EVENT_LAID_DOWN: ((17,), "Termagant 1 goes down."),
    st.EVENT_BROUGHT_DOWN: ((3,), "Varras is down; bolter 1 carries him."),
    st.EVENT_ESCAPED: ((1, 95, 48), "Octavian escapes over the edge at (95, 48)."),
    st.EVENT_NODE_WOUNDED: ((3,), "The hive node has 3 wounds left."),
    st.EVENT_MODEL_RETURNED: ((17, 16, 59, 48), "Termagant 1 comes back at the hive node, at (59, 48)."),
    st.EVENT_BURST: ((17, 60, 48), "The frag missile bursts over Termagant 1 at (60, 48)."),
    st.EVENT_ACID: ((40, 41, 4), "Acid sprays north from (40, 41)."),
    st.EVENT_THUNDERHAWK: ((2,), "The Thunderhawk lands."),
    st.EVENT_CORE_DROPPED: ((4,), "Bolter 2 drops the fusion core into the node."),
    st.EVENT_NODE_DESTROYED: ((54, 48), "The hive node is blown to pieces."),
    st.EVENT_MARKER_WOUNDED: ((6, 1), "Marker K1 is damaged; one more wound destroys it."),
}


def test_every_kind_of_event_has_an_example_here():
    assert set(EXAMPLES) == set(st.EVENT_NAMES)


@pytest.mark.parametrize("kind", sorted(EXAMPLES))
def test_events_become_sentences_with_named_data(kind):
    arguments, sentence = EXAMPLES[kind]
    event = describe.event(row(kind, *arguments))
    assert (event.kind, event.sentence) == (st.EVENT_NAMES[kind], sentence)
    json.dumps(event.data)


@pytest.mark.parametrize("purpose", range(len(st.ROLL_NAMES)))
def test_every_purpose_of_a_roll_has_words(purpose):
    who = 1 if purpose in describe.UNIT_ROLLS else 27
    needed = 0 if purpose in (0, 1, 2, *describe.UNIT_ROLLS) else 4
    event = describe.event(row(st.EVENT_ROLLED, 3, purpose, who, needed, 1))
    assert event.data["purpose"] == st.ROLL_NAMES[purpose]
    assert event.data["about"] in event.sentence.replace("Mine", "mine")
    assert ("failure" in event.sentence) == bool(needed)
    assert event.data.get("success") is (False if needed else None)


def test_details_of_events():
    burn = describe.event(row(st.EVENT_ROLLED, 5, st.ROLL_BURN, -1, 4, 0))
    assert burn.sentence == "To burn a marker: 5 (4+ needed, success)."
    assert describe.event(row(st.EVENT_MINE_DRIFTED, 27, 5, 5, 5, 5, 4)).sentence.endswith("stays at (5, 5).")
    assert describe.event(row(st.EVENT_UNIT_MOVED, 1, 0)).sentence == "Squad Octavian stays where it is."
    assert describe.event(row(st.EVENT_MARKER_DESTROYED, 5, 40, 31)).data["at"] == [40, 31]
    with pytest.raises(ValueError, match="event kind 99 is unknown"):
        describe.event(row(99))
