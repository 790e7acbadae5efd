"""Words for people: what an action would do, what has happened, which decision is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Event
from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import names
from broodmind.envs.overkill import state as st

SEAT_TITLES = ("Deathwatch", "cult")
PHASE_TITLES = (
    "Broodmind",
    "Deathwatch movement",
    "cult movement",
    "first Deathwatch attack",
    "cult attack",
    "second Deathwatch attack",
)
RATINGS = (
    ("Battle-brother", "Honoured Veteran", "Heroic Captain", "Revered Commander", "Legendary Warlord"),
    ("Brood Sibling", "Cruel Master", "Grim Overlord", "Feared Oligarch", "Supreme Tyrant"),
)
"""By seat, for 1-2, 3-4, 5-6, 7-8 and 9 missions won."""
RESULTS = {2: "the Deathwatch wins", 0: "a draw", -2: "the cult wins"}


def capital(sentence: str) -> str:
    """Return a sentence with its first letter as a capital."""
    return sentence[:1].upper() + sentence[1:]


def count(number: int, word: str) -> str:
    """Return ``"1 card"``, ``"2 cards"``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _name(found: Callable[[int], str], index: int, most: int, otherwise: str) -> str:
    return found(index) if 0 <= index < most else otherwise


def marine(m: int) -> str:
    """Return a marine's name."""
    return _name(names.marine_name, m, st.MARINES, "the marine")


def model(index: int) -> str:
    """Return a model's name."""
    return _name(names.model_name, index, st.MODELS, "the model")


def kind(t: int) -> str:
    """Return a type's name."""
    return _name(names.type_name, t, st.TYPES, "the type")


def card(c: int) -> str:
    """Return a card's name."""
    return _name(names.card_name, c, st.CARDS, "a card")


def zone(mission: int, z: int) -> str:
    """Return a zone's name."""
    zones = names.zone_names(mission) if 1 <= mission <= st.MISSIONS else ()
    return zones[z] if 0 <= z < len(zones) else f"zone {z}"


def gambit(g: int) -> str:
    """Return a gambit's name."""
    return _name(names.gambit_name, g, len(st.GAMBITS), "a gambit")


def section(mission: int, k: int) -> str:
    """Return the name of a section: that of its face."""
    sections = names.section_names(mission) if 1 <= mission <= st.MISSIONS else ()
    return sections[k] if 0 <= k < len(sections) else f"section {k}"


def point(mission: int, a: int) -> str:
    """Return a point's name."""
    points = names.point_names(mission) if 1 <= mission <= st.MISSIONS else ()
    return points[a] if 0 <= a < len(points) else f"point {a}"


def profile(index: int, p: int) -> str:
    """Return the name of a profile of a kind."""
    if index == st.MARINES + st.MAGUS and p == act.MESMERISE:
        return "mesmerise"
    profiles = names.profile_names(index) if 0 <= index < st.KINDS else ()
    return profiles[p] if 0 <= p < len(profiles) else f"profile {p + 1}"


def _group(s: Any) -> str:
    return f"{kind(int(s['sel_type']))} in {zone(int(s['mission']), int(s['sel_zone']))}"


def _gambit(s: Any) -> str:
    from broodmind.envs.overkill.tables import tables

    c = int(s["card"])
    return names.gambit_name(int(tables()[0]["gambit"][c])) if 0 <= c < st.CARDS else "the gambit"


# -- the decision at hand --------------------------------------------------------------------------


def phase_name(states: NDArray[np.void], i: int) -> str:
    """Name the decision at hand (``"DMOVE_ACT"``; ``"OVER"`` after the end)."""
    return st.STAGES[int(states[i]["stage"])]


def question(states: NDArray[np.void], i: int) -> str:
    """Ask the decision at hand as one sentence."""
    s = states[i]
    stage = int(s["stage"])
    mission = int(s["mission"])
    if stage == st.OVER:
        rating = f" {rated}" if (rated := campaign_rating(states, i)) else ""
        return f"The game is over: {RESULTS.get(int(s['core']['result']), 'a draw')}.{rating}"
    who = marine(int(s["marine"]))
    questions: dict[int, Callable[[], str]] = {
        st.TEAM: lambda: "Which marine joins the team?",
        st.TEAM_ZONE: lambda: f"Where does {who} start?",
        st.HOMER: lambda: "Who carries the teleport homer?",
        st.MUSTER_MARINE: lambda: "Which marine is placed next?",
        st.MUSTER_ZONE: lambda: f"Where does {who} start?",
        st.PLACE_MIX: lambda: f"How many of {kind(_entry_type(s))} are among the models of the card?",
        st.PLACE_ZONE: lambda: f"Where does {kind(int(s['sel_type']))} start?",
        st.BROOD: lambda: "Which card is laid, or played as a gambit?",
        st.BROOD_POINT: lambda: "On which Ambush Point is the card laid?",
        st.GAMBIT_TARGET: lambda: f"What is {_gambit(s)} played on?",
        st.GAMBIT_SECOND: lambda: f"And where, or with whom, does {_gambit(s)} go on?",
        st.GAMBIT_TYPE: lambda: f"Who goes by {_gambit(s)}?",
        st.WINDOW: lambda: f"Is a gambit played before the {PHASE_TITLES[int(s['phase'])]} phase?",
        st.DMOVE: lambda: "Which marine moves next?",
        st.DMOVE_ACT: lambda: f"What does {who} do ({count(int(s['moves_left']), 'move')} left)?",
        st.CMOVE: lambda: "Models of which zone move next?",
        st.CMOVE_TYPE: lambda: f"Who moves from {zone(mission, int(s['sel_zone']))}?",
        st.CMOVE_ACT: lambda: f"Where do the {_group(s)} go?",
        st.CMOVE_ONE: lambda: f"Where does one of the {_group(s)} go?",
        st.LAUNCH: lambda: "Which card is launched next?",
        st.LAUNCH_MIX: lambda: f"How many of {kind(_entry_type(s))} are among those placed?",
        st.LAUNCH_TYPE: lambda: "Who takes the place of those who are all slain?",
        st.DATT: lambda: "Which marine acts next?",
        st.DATT_ACT: lambda: f"What does {who} do?",
        st.DATT_ZONE: lambda: f"At which zone does {who} aim?",
        st.DATT_TYPE: lambda: f"Whom does {who} hit in {zone(mission, int(s['target_zone']))}?",
        st.CATT: lambda: "Models of which zone act next?",
        st.CATT_TYPE: lambda: f"Who acts in {zone(mission, int(s['sel_zone']))}?",
        st.CATT_ACT: lambda: f"What do the {_group(s)} do?",
        st.CATT_ONE: lambda: f"What does one of the {_group(s)} do?",
        st.CATT_TARGET: lambda: f"Whom do the {_group(s)} attack?",
        st.CATT_REND: lambda: f"Who takes the hits left over by {model(int(s['attacker']))}?",
        st.CAMPAIGN_PICK: lambda: "Which of the slain marines is wounded in the last two missions?",
    }
    return questions[stage]()


def campaign_rating(states: NDArray[np.void], i: int) -> str:
    """Rate the winner of a campaign by the number of missions won, as the rulebook does (OVK-C08); else nothing."""
    s = states[i]
    result = int(s["core"]["result"])
    if int(s["core"]["mission"]) != st.CAMPAIGN or not s["core"]["over"] or result == 0:
        return ""
    seat = st.DEATHWATCH if result > 0 else st.CULT
    won = sum((int(one) > 0) == (result > 0) for one in s["results"] if int(one))
    rating = RATINGS[seat][max(0, (won - 1) // 2)]
    return f"The {SEAT_TITLES[seat]} has won {count(won, 'mission')}: {rating}."


def _entry_type(s: Any) -> int:
    from broodmind.envs.overkill.tables import tables

    c, entry = int(s["card"]), int(s["entry"])
    return int(tables()[0]["entry_type"][c, entry, 0]) if 0 <= c < st.CARDS and 0 <= entry < 3 else -1


# -- actions ---------------------------------------------------------------------------------------

_END = {
    st.BROOD: "Lay no more cards",
    st.WINDOW: "Play no gambit now",
    st.DMOVE: "End the movement of the Deathwatch",
    st.DMOVE_ACT: "{marine} is finished",
    st.CMOVE: "End the movement of the cult",
    st.CMOVE_ACT: "The {group} stay where they are",
    st.LAUNCH: "End the launching; a card left over lurks",
    st.DATT: "End the attacks of the Deathwatch",
    st.DATT_ACT: "{marine} is finished",
    st.CATT: "End the attacks of the cult",
    st.CATT_ACT: "The {group} do nothing",
}

_ZONE = {
    st.TEAM_ZONE: "{marine} starts in {zone}",
    st.MUSTER_ZONE: "{marine} starts in {zone}",
    st.PLACE_ZONE: "{type} starts in {zone}",
    st.GAMBIT_TARGET: "Play {gambit} on {zone}",
    st.DMOVE_ACT: "{marine} goes to {zone}",
    st.CMOVE: "Move models from {zone}",
    st.CMOVE_ACT: "The {group} go to {zone}",
    st.CMOVE_ONE: "One of the {group} goes to {zone}",
    st.DATT_ACT: "{marine} runs to {zone}",
    st.DATT_ZONE: "{marine} aims at {zone}",
    st.CATT: "Let models in {zone} act",
    st.CATT_ACT: "The {group} run to {zone}",
    st.CATT_ONE: "One of the {group} runs to {zone}",
    st.CATT_TARGET: "The {group} attack {zone}",
}

_MARINE = {
    st.TEAM: "{other} joins the team",
    st.HOMER: "{other} carries the homer",
    st.MUSTER_MARINE: "Place {other} next",
    st.GAMBIT_TARGET: "Play {gambit} on {other}",
    st.DMOVE: "{other} moves",
    st.DATT: "{other} acts",
    st.CATT_TARGET: "The {group} attack {other}",
    st.CATT_REND: "The hits left over go to {other}",
    st.CAMPAIGN_PICK: "{other} starts wounded",
}

_POINT = {
    st.BROOD_POINT: "Lay the card on {point}",
    st.GAMBIT_TARGET: "Play {gambit} on {point}",
    st.GAMBIT_SECOND: "{gambit} leads to {point}",
    st.DMOVE_ACT: "{marine} has the card on {point} turned up",
    st.LAUNCH: "Launch the card on {point}",
}

_TYPE = {
    st.GAMBIT_TYPE: "{other} go through the tunnels",
    st.CMOVE_TYPE: "Move {other}",
    st.LAUNCH_TYPE: "Place {other} instead",
    st.DATT_TYPE: "Hit {other}",
    st.CATT_TYPE: "Let {other} act",
}


def action_label(states: NDArray[np.void], i: int, action: int) -> str:
    """Say in words what an action would do in this position, or name it where it means nothing now."""
    s = states[i]
    stage, mission = int(s["stage"]), int(s["mission"])
    verb, argument = act.ACTIONS.decode(action)
    templates = {"END": _END, "ZONE": _ZONE, "MARINE": _MARINE, "POINT": _POINT, "TYPE": _TYPE}
    if verb.name in templates:
        template = templates[verb.name].get(stage)
        if template is None:
            return act.ACTIONS.name(action)
        others = {"MARINE": marine, "TYPE": kind}
        return capital(
            template.format(
                marine=marine(int(s["marine"])),
                group=_group(s),
                type=kind(int(s["sel_type"])),
                gambit=_gambit(s),
                zone=zone(mission, argument),
                point=point(mission, argument),
                other=others[verb.name](argument) if verb.name in others else "",
            )
        )
    if verb.name == "PROFILE":
        deathwatch = stage in (st.DATT_ACT, st.DATT_ZONE, st.DATT_TYPE)
        owner = int(s["marine"]) if deathwatch else st.MARINES + int(s["sel_type"])
        return f"Use {profile(owner, argument)}"
    if verb.name == "MIX":
        first = st.AUTOGUN if stage == st.GAMBIT_SECOND else _entry_type(s)
        return f"{argument} of {kind(first)}, the rest of the other type"
    if verb.name == "CARD":
        return f"Lay {card(argument)}"
    if verb.name == "GAMBIT":
        return f"Play {card(argument)} as its gambit, {names.gambit_name(_gambit_of(argument))}"
    if verb.name == "ABILITY":
        return f"{marine(int(s['marine']))}: {names.ability_name(argument)}"
    return "Choose for one model of the group alone"


def _gambit_of(c: int) -> int:
    from broodmind.envs.overkill.tables import tables

    return int(tables()[0]["gambit"][c])


# -- events ----------------------------------------------------------------------------------------


def _rolled(value: int, purpose: int, who: int, needed: int, seat: int) -> tuple[dict[str, Any], str]:
    word = st.ROLL_NAMES[purpose] if 0 <= purpose < len(st.ROLL_NAMES) else "roll"
    data = {"value": value, "purpose": word, "needed": needed, "agent": SEAT_TITLES[seat & 1]}
    if 0 <= who < st.MODELS:
        data["model"] = model(who)
    need = f", needs {needed}+" if needed else ""
    about = f" ({model(who)})" if 0 <= who < st.MODELS else ""
    return data, f"{capital(word)}{about}: {value}{need}."


def events(states: NDArray[np.void], i: int, rows: NDArray[np.int32]) -> list[Event]:
    """Turn the rows of a step's log into events.

    Of a position that stands after them only the mission matters; in the campaign a step may end one and begin the
    next.
    """
    began, over = st.EVENT_MISSION_BEGAN, st.EVENT_MISSION_OVER
    turns = (int(row[1]) - (row[0] == began) for row in rows if row[0] in (began, over))
    mission = next(turns, int(states[i]["mission"]))
    told = []
    for row in rows:
        mission = int(row[1]) if row[0] == began else mission
        told.append(event(row, mission))
    return told


def event(row: NDArray[np.int32], mission: int = 0) -> Event:
    """Turn a row of the event log into a typed event with its sentence.

    Args:
        row: The row.
        mission: Of which mission zones and points are; 0: unknown, they are told by number.
    """
    k, a, b, c, d, e = (int(x) for x in row[:6])
    title = RESULTS.get(b if k == st.EVENT_MISSION_OVER else a, "a draw")
    reason = c if k == st.EVENT_MISSION_OVER else b
    why = st.OVER_NAMES[reason] if 0 <= reason < len(st.OVER_NAMES) else "it is over"
    one = model(a)
    if k == st.EVENT_ROLLED:
        data, sentence = _rolled(a, b, c, d, e)
        return Event("rolled", data, sentence)
    if k == st.EVENT_ATTACKED:
        kind_of = a if a < st.MARINES else st.MARINES + names.type_of(max(a, st.MARINES))
        data = {"model": one, "profile": profile(kind_of, b), "zone": d}
        if c >= 0:
            data["target"] = model(c)
        goal = model(c) if c >= 0 else zone(mission, d)
        return Event("attacked", data, f"{one} attacks {goal} with {profile(kind_of, b)}.")
    told: dict[int, tuple[dict[str, Any], str]] = {
        st.EVENT_TURN_BEGAN: ({"turn": a}, f"Turn {a} begins."),
        st.EVENT_PHASE_BEGAN: (
            {"phase": st.PHASES[a % 6]},
            f"{capital(PHASE_TITLES[a % 6])} phase.",
        ),
        st.EVENT_PLACED: ({"model": one, "zone": b}, f"{one} is placed in {zone(mission, b)}."),
        st.EVENT_MOVED: (
            {"model": one, "from": b, "to": c, "jumped": bool(d)},
            f"{one} {'jumps' if d else 'moves'} from {zone(mission, b)} to {zone(mission, c)}.",
        ),
        st.EVENT_EXITED: ({"model": one, "zone": b}, f"{one} leaves the board."),
        st.EVENT_HIT: ({"model": one}, f"{one} is hit."),
        st.EVENT_SAVED: ({"model": one}, f"{one} is saved by armour."),
        st.EVENT_WOUNDED: ({"model": one}, f"{one} is wounded."),
        st.EVENT_SLAIN: ({"model": one, "zone": b}, f"{one} is slain in {zone(mission, b)}."),
        st.EVENT_RECOVERED: ({"model": one}, f"{one} is unwounded again."),
        st.EVENT_DREW: ({"count": a}, f"The cult draws {count(a, 'card')}."),
        st.EVENT_SHUFFLED: ({"count": a}, f"The discard pile is shuffled into a deck of {count(a, 'card')}."),
        st.EVENT_LAID: ({"point": a}, f"A card is laid face down on {point(mission, a)}."),
        st.EVENT_TURNED_UP: (
            {"card": card(a), "point": b},
            f"{card(a)} is turned up{f' on {point(mission, b)}' if b >= 0 else ''}.",
        ),
        st.EVENT_LAUNCHED: ({"card": card(a), "point": b}, f"{card(a)} is launched at {point(mission, b)}."),
        st.EVENT_GAMBIT: (
            {"card": card(a), "gambit": gambit(b)},
            f"The cult plays {gambit(b)}.",
        ),
        st.EVENT_AIMED: (
            {"gambit": gambit(a), "zone": c} | ({"marine": marine(b)} if b >= 0 else {}),
            f"{gambit(a)} is played on {marine(b) if b >= 0 else zone(mission, c)}.",
        ),
        st.EVENT_DISCARDED: ({"count": a}, f"{capital(count(a, 'card'))} discarded."),
        st.EVENT_SKULL: (
            {"marine": marine(b), "taken": bool(a), "zone": c},
            f"{marine(b)} {'takes' if a else 'loses'} the skull in {zone(mission, c)}.",
        ),
        st.EVENT_ATTACHED: (
            {"marine": one, "zone": b},
            f"{one} attaches krak grenades to the silo from {zone(mission, b)}.",
        ),
        st.EVENT_ABILITY: (
            {"marine": one, "ability": _name(names.ability_name, b, len(names.ABILITIES), "a skill")},
            f"{one} uses {_name(names.ability_name, b, len(names.ABILITIES), 'a skill')}.",
        ),
        st.EVENT_SECTION_LOST: (
            {"section": a},
            f"{capital(section(mission, a))} is destroyed with all that is on it.",
        ),
        st.EVENT_MESMERISED: (
            {"marine": one, "worked": bool(b)},
            f"{one} {'is mesmerised' if b else 'resists the Magus'}.",
        ),
        st.EVENT_STAYED: ({"model": one}, f"{one} stays on his feet."),
        st.EVENT_GAME_OVER: ({"result": a / 2, "reason": why}, f"The game is over, {title}: {why}."),
        st.EVENT_MISSION_OVER: (
            {"mission": a, "result": b / 2, "reason": why},
            f"Mission {a} is over, {title}: {why}.",
        ),
        st.EVENT_MISSION_BEGAN: ({"mission": a}, f"Mission {a} begins."),
        st.EVENT_NAMED: (
            {"marine": one, "for": _name(lambda n: st.NAMED_NAMES[n], b, 3, "something")},
            f"{one} is named for {_name(lambda n: st.NAMED_NAMES[n], b, 3, 'something')}.",
        ),
        st.EVENT_CARD_MOVED: (
            {"from": a, "to": b},
            f"The card on {point(mission, a)} moves to {point(mission, b)}.",
        ),
    }
    data, sentence = told.get(k, ({}, "Something happens."))
    return Event(st.EVENT_NAMES.get(k, "unknown"), data, sentence)
