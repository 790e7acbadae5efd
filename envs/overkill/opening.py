"""What a reset may be asked for: which cards are drawn first, and the team (ledger section 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.codec import Names
from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import names
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.tables import tables


def open_game(states: NDArray[np.void], i: int, options: Mapping[str, Any], fresh: bool) -> Sequence[int]:
    """Plan draws, and return the actions that name a team; see `Game.open`.

    Args:
        states: Array of records.
        i: Which of them.
        options: ``"cards"``: names of cards, first to last; ``"team"``: ids of marines, in the order of naming.
        fresh: Whether the game was set up just now.

    Raises:
        ValueError: A value cannot be taken.
    """
    if "cards" in options:
        plan_draws(states[i], options["cards"], fresh)
    return team_actions(np.asarray(states)[i], options["team"], fresh) if "team" in options else ()


def _words(name: str, value: Any, what: str) -> list[str]:
    if (
        isinstance(value, str)
        or not isinstance(value, Sequence)
        or not all(isinstance(v, str) for v in value)
    ):
        raise ValueError(f"{name}={value!r}; expected a list of {what}")
    return list(value)


def _numbers(name: str, words: Sequence[str], known: Sequence[str]) -> list[int]:
    numbers = []
    for word in words:
        try:
            numbers.append(Names(known).read(word))
        except ValueError as error:
            raise ValueError(f"{name}={word!r}: {error}") from None
    return numbers


def plan_draws(s: Any, value: Any, fresh: bool) -> None:
    """Write the draws that come first; one whose card is not in the deck when it is due is drawn at random."""
    cards = _words("cards", value, "names of cards")
    if len(cards) > st.DRAWS:
        raise ValueError(f"cards names {len(cards)} cards; expected {st.DRAWS} at most")
    numbers = _numbers("cards", cards, [names.card_name(c) for c in range(st.CARDS)])
    for card, number in zip(cards, numbers, strict=True):
        if not tables()[0]["deck"][int(s["mission"]), number]:
            raise ValueError(f"cards={card!r}; expected a card of the deck of this mission")
        if fresh and numbers.count(number) > 1:
            raise ValueError(f"cards names {card!r} twice; expected each card once, as the deck holds it")
    if fresh and not np.isin(s["card_at"], (st.CARD_OUT, st.CARD_DECK)).all():
        raise ValueError("cards come too late: setting up has drawn some; give a position with its draws")
    s["draws"] = 0
    s["draws"][: len(numbers)] = [number + 1 for number in numbers]
    s["draw_count"] = len(numbers)


def team_actions(s: Any, value: Any, fresh: bool) -> list[int]:
    """Return the actions that name a team."""
    if not fresh:
        raise ValueError("reset takes 'state' or 'team', not both: a position has its team")
    team = _words("team", value, "marines")
    size = int(s["team_size"])
    numbers = _numbers("team", team, st.MARINE_IDS)
    if len(set(team)) != len(team) or len(team) != size:
        raise ValueError(f"team={team!r}; expected {size} different marines")
    return [act.MARINE + number for number in numbers]
