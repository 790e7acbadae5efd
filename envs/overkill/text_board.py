"""The board as text: zones that hold anything, points, cards and scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.overkill import describe, names
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.draw import PLACES, zone_words
from broodmind.envs.overkill.tables import tables

EFFECTS = {
    "pinned": "behind a bulkhead",
    "jammed": "jammed",
    "no_recover": "may not recover",
    "static": "under Psychic Static",
    "mesmerised": "mesmerised",
}
"""What fields that are sets of marines say of them."""


def _notes(s: Any, m: int) -> str:
    """Return what there is to say of a marine, in brackets."""
    notes = {
        "wounded": s["wounds"][m] > 0,
        "with the skull": s["carrier"] == m,
        "with the homer": s["homer"] == m,
        **{word: int(s[field]) >> m & 1 for field, word in EFFECTS.items()},
        "done": s["marks"][m] & (st.MOVED | st.ACTED) > 0,
    }
    said = ", ".join(note for note, holds in notes.items() if holds)
    return f" ({said})" if said else ""


def _score(s: Any, t: Any) -> str:
    """Return how far both sides have got."""
    mission = int(s["mission"])
    goal, lose_at = int(t["goal"][mission]), int(t["lose_at"][mission])
    kills = f" of {goal}" if mission == st.KILLSTORM else ""
    out = f" of {goal}" if goal and mission in (st.EXTERMINATUS, st.OFFICIUM, st.PURGATION) else ""
    team = int(s["team"]).bit_count()
    score = (
        f"slain: {int(s['slain'])} of {lose_at or team} marines, {int(s['kills'])}{kills} cult models; "
        f"left the board: {int(s['exited'])}{out}"
    )
    krak = f"; grenades at {int(s['krak']).bit_count()} of {goal} places" if mission == st.FIRESTORM else ""
    return score + krak + ("; Choking Dust" if s["dust"] else "")


def text_board(states: NDArray[np.void], i: int, seat: int | None = None) -> str:
    """Return the board as text, as a seat may see it (None: everything).

    Args:
        states: Array of records.
        i: Which of them.
        seat: Who looks.
    """
    s = np.asarray(states)[i]
    t = tables()[0]
    mission = int(s["mission"])
    core = s["core"]
    wait = seat is not None and seat != int(core["seat"]) and not core["over"]
    ask = "the other side decides" if wait else describe.question(states, i)
    lines = [
        f"Mission {mission}, turn {int(core['turn'])}, {describe.PHASE_TITLES[int(s['phase'])]}: {ask}",
        _score(s, t),
    ]
    zones = names.zone_names(mission)
    for z in range(len(zones)):
        here = [m for m in range(st.MARINES) if s["zone"][m] == z]
        words = [names.marine_name(m) + _notes(s, m) for m in here]
        for kind in range(st.TYPES):
            first = int(t["first"][kind])
            models = slice(first, first + int(t["count"][kind]))
            number = int(np.sum(s["zone"][models] == z))
            if number:
                wounded = " (wounded)" if np.any((s["zone"][models] == z) & (s["wounds"][models] > 0)) else ""
                words.append(f"{number} x {names.type_name(kind)}{wounded}")
        marks = [word for word in zone_words(s, t, mission, z) if word not in PLACES]
        if words or marks:
            under = f" [{', '.join(marks)}]" if marks else ""
            lines.append(f"{z:2d} {zones[z]}{under}: {', '.join(words) or 'nobody'}")
    for a in range(int(t["points"][mission])):
        card = int(s["point_card"][a])
        if card < 0:
            continue
        known = seat != st.DEATHWATCH or bool(s["point_marks"][a] & st.TURNED_UP)
        lurks = ", lurking" if s["point_marks"][a] & st.LURKING else ""
        lines.append(
            f"{names.point_names(mission)[a]}: {names.card_name(card) if known else 'a card'}{lurks}"
        )
    where = {
        place: np.flatnonzero(s["card_at"] == place)
        for place in (st.CARD_HAND, st.CARD_DECK, st.CARD_DISCARD)
    }
    hand = where[st.CARD_HAND]
    shown = (
        ": " + ", ".join(names.card_name(int(c)) for c in hand) if seat != st.DEATHWATCH and len(hand) else ""
    )
    lines.append(
        f"hand {len(hand)}{shown}; deck {len(where[st.CARD_DECK])}; discarded {len(where[st.CARD_DISCARD])}"
    )
    return "\n".join(lines)
