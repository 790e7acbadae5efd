"""Real dice and real tiles in `play`: what is rolled, chosen and drawn is asked for as what it is."""

from __future__ import annotations

import pytest

import broodmind
from broodmind.envs.core import replay as replays
from broodmind.envs.core.errors import UnplannedRollError
from broodmind.envs.maze import actions as act
from broodmind.scripts.play import _named
from broodmind.scripts.session import Roll, Session

ID = "maze/short-v0"


class Hand:
    """Types the lowest number, or a name where tiles are drawn, and keeps what was asked for."""

    def __init__(self, tile: str) -> None:
        self.tile = tile
        self.asked: list[Roll] = []

    def __call__(self, roll: Roll) -> int:
        self.asked.append(roll)
        if not roll.named:
            return roll.low
        number = _named(roll.named, self.tile)
        assert number is not None
        return number


def begun(hand: Hand) -> Session:
    session = Session(broodmind.make(ID).unwrapped, {}, None, hand)
    session.begin(4)
    return session


def test_tiles_of_the_set_up_are_drawn_by_name() -> None:
    hand = Hand("large room")
    session = begun(hand)
    first = hand.asked[0]
    assert first.named[112] == "Large Room"
    assert "Shuttle" not in first.named.values()  # it is on the board
    assert "Beacon" not in " ".join(first.named.values())  # its room lies at the bottom of the pile
    assert session.sentences[:3] == [
        "Shuttle is placed at (0, 0).",
        "Large Room is placed at (0, 1).",
        "Large Room is placed at (0, 2).",
    ]
    assert replays.verify(session.recorder.replay).matches


def test_tiles_of_a_move_are_drawn_by_name_and_dice_are_rolled() -> None:
    hand = Hand("bend in the corridor")
    session = begun(hand)
    assert [bool(roll.named) for roll in hand.asked] == [True, False]  # the tile, and which way it bends
    assert (hand.asked[1].low, hand.asked[1].high) == (1, 6)
    del hand.asked[:]
    while not hand.asked:
        session.act(session.env.legal_actions()[0])
    roll = hand.asked[0]
    assert all(number in roll.named for number in (106, 112)) or (roll.low, roll.high) == (1, 6)
    assert replays.verify(session.recorder.replay).matches


def test_nothing_is_asked_for_that_can_come_out_in_one_way_only() -> None:
    hand = Hand("corridor")
    session = begun(hand)
    session.env.states[0]["morale"][2:] = 0  # broken: insanity brings choices among a few
    while len(hand.asked) < 40 and not session.over:
        legal = session.env.legal_actions()
        session.act(act.END_PHASE if act.END_PHASE in legal else legal[-1])
    assert all(roll.low < roll.high or roll.named for roll in hand.asked)
    assert any(roll.named for roll in hand.asked)
    assert any(roll.high == 6 for roll in hand.asked)


def test_a_missing_roll_says_what_it_is() -> None:
    env = broodmind.make(ID)
    with pytest.raises(UnplannedRollError) as caught:
        env.reset(seed=1, options={"strict": True})
    assert caught.value.die == 1
    with pytest.raises(UnplannedRollError) as caught:
        env.reset(seed=1, options={"strict": True, "dice": [110]})
    assert caught.value.die == 6
    with pytest.raises(UnplannedRollError) as caught:
        env.reset(seed=1, options={"strict": True, "dice": [100]})
    assert caught.value.die == 0


@pytest.mark.parametrize(
    ("typed", "number"),
    [("106", 106), ("Corridor", 106), ("vent", 107), ("corr", None), ("999", None), ("", None), ("6", None)],
)
def test_what_was_drawn_may_be_typed_as_number_or_name(typed: str, number: int | None) -> None:
    assert _named({106: "Corridor", 107: "Corridor Vent"}, typed) == number
