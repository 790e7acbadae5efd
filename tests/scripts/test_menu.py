"""Menus: how choices are shown, and how what people type is understood."""

import numpy as np
import pytest

from broodmind.envs.core.actions import ActionTable, Verb
from broodmind.scripts.menu import FEW, ChoiceError, Menu

OFFSETS = [(x, y) for y in range(-3, 4) for x in range(-3, 4)]
UNITS = ("Squad Octavian", "Squad Atreus", "Varras")
TABLE = ActionTable(
    [
        Verb("PASS", 1, "end the step"),
        Verb("SELECT", 3, "own unit", lambda k: UNITS[k]),
        Verb("DEST", len(OFFSETS), "where to", lambda k: "{:+d},{:+d}".format(*OFFSETS[k])),
        Verb("LANE", 40, "how far", lambda k: f"{k - 20:+d}"),
    ]
)


def menu(*names, everything=()):
    mask = np.zeros(TABLE.size, np.int8)
    for action, name in enumerate(TABLE.names()):
        mask[action] = name in names or name.split()[0] in everything
    return Menu(TABLE, mask, lambda action: f"does {TABLE.name(action)}")


def test_few_choices_are_numbered_named_and_explained():
    assert menu("pass", "select Squad Atreus").lines() == [
        "1) pass - does pass",
        "2) select Squad Atreus - does select Squad Atreus",
    ]


def test_a_label_that_says_no_more_than_the_name_is_left_out():
    chosen = menu("pass")
    chosen.label = lambda action: "Pass"
    assert chosen.lines() == ["1) pass"]


def test_many_offsets_are_a_map():
    chosen = menu("pass", everything=("dest",))
    lines = chosen.lines()
    assert len(OFFSETS) > FEW
    rows = [line for line in lines if line.strip()[:2] in {"3 ", "0 ", "-3"}]
    assert rows[0] == "   3" + "  o" * 7
    assert rows[1] == "   0" + "  o" * 3 + "  @" + "  o" * 3
    assert any("-3 -2 -1  0  1  2  3" in line for line in lines)
    assert len(chosen.lines(everything=True)) == len(OFFSETS) + 1


def test_many_other_choices_come_in_columns():
    lines = menu(everything=("lane",)).lines()
    assert lines[0] == "lane (how far):"
    assert "40) +19" in lines[-1]
    assert len(lines) < 10


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("1", "pass"),
        ("PASS", "pass"),
        ("select squad  atreus", "select Squad Atreus"),
        ("atreus", "select Squad Atreus"),
        ("dest +1,-2", "dest +1,-2"),
        ("dest 1 -2", "dest +1,-2"),
        ("move 1 -2", "dest +1,-2"),
        ("1,-2", "dest +1,-2"),
        ("+1 -2", "dest +1,-2"),
        ("1 , -2", "dest +1,-2"),
    ],
)
def test_what_people_type_is_understood(typed, expected):
    chosen = menu("pass", "select Squad Atreus", "select Squad Octavian", everything=("dest",))
    assert TABLE.name(chosen.find(typed)) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("0", "no choice 0; type 1 to 4"),
        ("99", "no choice 99"),
        ("squad", "fits 2 choices"),
        ("select varas", "did you mean 'select varras'"),
        ("dance", "is no choice here"),
        ("dest +1,+1", "is not legal now; 'why dest +1,+1' tells why"),
        ("9 9", "is no choice here"),
    ],
)
def test_what_is_no_choice_is_answered(typed, expected):
    chosen = menu("pass", "select Squad Atreus", "select Squad Octavian", "select Varras")
    with pytest.raises(ChoiceError, match=expected.replace("+", r"\+")):
        chosen.find(typed)


def test_parse_finds_illegal_actions_too():
    chosen = menu("pass")
    assert TABLE.name(chosen.parse("dest 1 1")) == "dest +1,+1"
    assert chosen.parse("nothing like it") is None
