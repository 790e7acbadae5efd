"""A small language for rule tests: a position, actions by name, planned dice that must be used up.

Forced decisions are not skipped, so that every choice a rule asks for is written down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import broodmind
from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import names
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.game import GAME
from broodmind.envs.overkill.tables import tables

T = tables()[0]
END, ALONE = act.END, act.ALONE
STEPS = {
    "BROOD": ("brood", "broodmind"),
    "DMOVE": ("move", "dw_move"),
    "CMOVE": ("cult move", "cult_move"),
    "LAUNCH": ("launch", "cult_move"),
    "DATT": ("attack", "dw_attack_1"),
    "CATT": ("cult attack", "cult_attack"),
    "DATT2": ("second attack", "dw_attack_2"),
}


def marine(name: str) -> int:
    """Return the action that names a marine."""
    return act.MARINE + st.MARINE_IDS.index(name)


def kind(name: str) -> int:
    """Return the action that names a type."""
    return act.TYPE + st.TYPE_IDS.index(name)


def zone(z: int) -> int:
    """Return the action that names a zone."""
    return act.ZONE + z


def profile(p: int) -> int:
    """Return the action that takes a weapon profile, from 0."""
    return act.PROFILE + p


def point(a: int) -> int:
    """Return the action that names an Ambush Point."""
    return act.POINT + a


def card(c: int) -> int:
    """Return the action that lays a card."""
    return act.CARD + c


def gambit(name: str, hand: Sequence[int]) -> int:
    """Return the action that plays the first card in hand with a gambit."""
    wanted = st.GAMBITS.index(name)
    return act.GAMBIT + next(c for c in hand if T["gambit"][c] == wanted)


def mix(k: int) -> int:
    """Return the action of a mix."""
    return act.MIX + k


def ability(b: int) -> int:
    """Return the action of an ability."""
    return act.ABILITY + b


def zones_of(mission: int) -> range:
    """Return the zones of a mission."""
    return range(int(T["zones"][mission]))


def band(mission: int, a: int, b: int) -> int:
    """Return the band of two zones."""
    return int(T["band"][mission, a, b])


def pair(
    mission: int, wanted: int, *, adjacent: bool = False, section: bool | None = None
) -> tuple[int, int]:
    """Return two zones in a band: adjacent ones or not, on one section or on two."""
    for a in zones_of(mission):
        for b in zones_of(mission):
            near = bool(T["adjacent"][mission, a, b])
            same = T["section"][mission, a] == T["section"][mission, b]
            if (
                a != b
                and band(mission, a, b) == wanted
                and near == adjacent
                and section in (None, bool(same))
            ):
                return a, b
    raise AssertionError("no such pair of zones")


def distances(mission: int, a: int) -> dict[int, int]:
    """Return how many moves each zone is away."""
    found, ring = {a: 0}, [a]
    while ring:
        ring = [
            z for z in zones_of(mission) if z not in found and any(T["adjacent"][mission, y, z] for y in ring)
        ]
        found |= dict.fromkeys(ring, max(found.values()) + 1)
    return found


def jump_only(mission: int, moves: int) -> tuple[int, int]:
    """Return two zones of which one is reached from the other by one jump, but not by so many moves."""
    for a in zones_of(mission):
        near = distances(mission, a)
        for b in zones_of(mission):
            if T["jump"][mission, a, b] and near[b] > moves:
                return a, b
    raise AssertionError("no such pair of zones")


def far_from(mission: int, a: int) -> int:
    """Return the zone that is most moves away."""
    near = distances(mission, a)
    return max(near, key=lambda z: near[z])


@cache
def _template(mission: int) -> Any:
    env = broodmind.make(GAME.missions[mission - 1].id)
    env.reset(seed=1)
    return env


def position(
    mission: int = 1,
    at: str = "CATT",
    *,
    marines: Mapping[str, Any] | None = None,
    cult: Mapping[str, Sequence[Any]] | None = None,
    wounded: Sequence[str] = (),
    turn: int = 2,
    hand: Sequence[int] = (),
    discard: Sequence[int] = (),
    deck: Sequence[int] | None = None,
    laid: Mapping[int, int] | None = None,
    lurking: Sequence[int] = (),
    face_up: Sequence[int] = (),
    moved: bool = False,
    core: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Table:
    """Return a position of a mission at a decision.

    Args:
        mission: Its number.
        at: The stage: BROOD, DMOVE, CMOVE, LAUNCH, DATT, CATT, or DATT2 for the second attack.
        marines: Where the marines of the team stand: zones, "reserve", "slain" or "exited".
        cult: Where the models of a type stand, one zone for each model.
        wounded: Marines (and leaders) who are wounded.
        turn: The turn.
        hand, discard, deck: Cards; what is in none of them is in the deck (deck given: out of the way, discarded).
        laid: Cards by the point they lie on.
        lurking, face_up: Points whose cards lurk, or are turned up.
        moved: Whether the cult's models have moved already.
        core: Fields of the head of the state.
        **fields: Further fields of a position, as dictionaries name them.
    """
    marines = marines or {}
    step, phase = STEPS[at]
    stage = "DATT" if at == "DATT2" else at
    models: dict[str, Any] = {}
    for name, where in marines.items():
        models[names.marine_name(st.MARINE_IDS.index(name))] = {"zone": where, "wounds": int(name in wounded)}
    for name, where in (cult or {}).items():
        first = st.TYPE_FIRST[st.TYPE_IDS.index(name)]
        for k, z in enumerate(where):
            marks = ["moved"] if moved and z != "slain" else []
            models[names.model_name(first + k)] = {"zone": z, "wounds": int(name in wounded), "marks": marks}
    cards: dict[str, str] = {}
    points = {}
    for c in range(st.CARDS):
        if not T["deck"][mission, c]:
            continue
        where = "hand" if c in hand else "discard" if c in discard else "deck"
        if deck is not None and c not in (*hand, *deck):
            where = "discard"
        cards[names.card_name(c)] = where
    for a, c in (laid or {}).items():
        cards[names.card_name(c)] = "laid"
        marks = (["turned up"] if a in face_up else []) + (["lurking"] if a in lurking else [])
        points[str(a)] = {"card": names.card_name(c), "marks": marks}
    team = [names.marine_name(st.MARINE_IDS.index(name)) for name in marines]
    deathwatch = stage in ("DMOVE", "DATT")
    data: dict[str, Any] = {
        "core": {
            "environment": GAME.missions[mission - 1].id,
            "turn": turn,
            "to_act": GAME.agents[0 if deathwatch else 1],
            "strict": True,
            "skip_forced": False,
            **(core or {}),
        },
        "step": step,
        "phase": phase,
        "stage": stage,
        "hand_size": int(T["hand"][mission]),
        "lay_min": int(T["lay_min"][mission]),
        "lay_max": int(T["lay_max"][mission]),
        "team_size": max(1, len(team)),
        "team": team,
        "first": team[0] if team else "none",
        "slain": sum(where == "slain" for where in marines.values()),
        "exited": sum(where == "exited" for where in marines.values()),
        "models": models,
        "cards": cards,
        "points": points,
        "skull_zone": int(T["skull_zone"][mission]) if "carrier" not in fields else -1,
        **fields,
    }
    env = _template(mission).clone()
    env.reset(options={"state": data, "dice": [], "strict": True})
    return Table(env)


class Table:
    """A game in hand, dice strict: every planned roll must be used by the steps it was planned for."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def do(self, *actions: int, dice: Sequence[int] = ()) -> Table:
        """Take actions one after another; the dice must be exactly those that they roll."""
        self.env.feed_dice(list(dice))
        for action in actions:
            self.env.step(action)
        assert self.env.pending_dice == [], f"planned, but not rolled: {self.env.pending_dice}"
        return self

    def strike(self, z: int, type_: str, target: str, dice: Sequence[int] = (), p: int = 0) -> Table:
        """Let a group of the cult attack a marine."""
        return self.do(zone(z), kind(type_), profile(p), marine(target), dice=dice)

    def blast(self, z: int, type_: str, there: int, dice: Sequence[int] = (), p: int = 0) -> Table:
        """Let a group of the cult attack a zone."""
        return self.do(zone(z), kind(type_), profile(p), zone(there), dice=dice)

    def shoot(self, who: str, p: int, there: int, *types: str, dice: Sequence[int] = ()) -> Table:
        """Let a marine attack a zone, and the types in it one after another (none for a Blast)."""
        return self.do(marine(who), profile(p), zone(there), *(kind(one) for one in types), dice=dice)

    @property
    def record(self) -> Any:
        """The state record."""
        return self.env.states[0]

    @property
    def stage(self) -> str:
        """The decision at hand."""
        return str(self.env.phase_name())

    @property
    def turn(self) -> int:
        """The turn."""
        return int(self.record["core"]["turn"])

    @property
    def seat(self) -> str:
        """Who decides: ``"deathwatch"`` or ``"cult"``."""
        return str(self.env.agent_selection).removesuffix("_0")

    @property
    def winner(self) -> str:
        """Who has won: a seat, ``"nobody"`` for a draw, ``""`` while the game goes on."""
        if not self.record["core"]["over"]:
            return ""
        return {2: "deathwatch", -2: "cult", 0: "nobody"}[int(self.record["core"]["result"])]

    def legal(self, *actions: int) -> list[bool]:
        """Say of actions whether they are legal."""
        found = set(self.env.legal_actions())
        return [action in found for action in actions]

    def offered(self, verb: str) -> set[int]:
        """Return the legal arguments of a verb."""
        base = act.ACTIONS.base[verb]
        count = next(one.count for one in act.ACTIONS.verbs if one.name == verb)
        return {a - base for a in self.env.legal_actions() if base <= a < base + count}

    def zone_of(self, name: str) -> int:
        """Return where a marine is, or the first model of a type."""
        return int(self.record["zone"][self._index(name)])

    def wounds(self, name: str) -> int:
        """Return the wounds of a marine, or of the first model of a type."""
        return int(self.record["wounds"][self._index(name)])

    def slain(self, name: str) -> bool:
        """Say whether a marine is slain."""
        return self.zone_of(name) == st.SLAIN

    def count(self, type_: str, z: int | None = None) -> int:
        """Count the models of a type on the board, or in a zone."""
        first = st.TYPE_FIRST[st.TYPE_IDS.index(type_)]
        where = self.record["zone"][first : first + st.TYPE_COUNTS[st.TYPE_IDS.index(type_)]]
        return int((where >= 0).sum() if z is None else (where == z).sum())

    def cards(self, place: int) -> set[int]:
        """Return the cards in a place (``st.CARD_HAND``, ...)."""
        return {c for c in range(st.CARDS) if self.record["card_at"][c] == place}

    def hand(self) -> list[int]:
        """Return the cards in hand."""
        return sorted(self.cards(st.CARD_HAND))

    def number(self, field: str) -> int:
        """Return a number of the record."""
        return int(self.record[field])

    @staticmethod
    def _index(name: str) -> int:
        if name in st.MARINE_IDS:
            return st.MARINE_IDS.index(name)
        return st.TYPE_FIRST[st.TYPE_IDS.index(name)]


def fresh(mission: int, **options: Any) -> Table:
    """Return a new game of a mission, forced decisions asked for too."""
    env = broodmind.make(GAME.missions[mission - 1].id, skip_forced=False, **options)
    env.reset(seed=5)
    return Table(env)


def set_up(mission: int, *team: str, **options: Any) -> Table:
    """Return a new game with a team, at the first decision after HOMER and TEAM_ZONE, always the first zone."""
    table = fresh(mission, **options).do(*(marine(name) for name in team))
    while table.stage in ("HOMER", "TEAM_ZONE"):
        table.do(table.env.legal_actions()[0])
    return table


def to_turn(table: Table, stage: str = "BROOD") -> Table:
    """Take first choices until a stage of turn 1 is reached."""
    for _ in range(400):
        if table.stage == stage and table.turn >= 1:
            return table
        table.do(table.env.legal_actions()[0])
    raise AssertionError(f"{stage} was never reached")
