"""What makes a record a possible position: every breach as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.dice import QUEUE_SIZE
from broodmind.envs.core.record import MOST_TURNS
from broodmind.envs.overkill import names
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.tables import tables

_EVERYBODY = (1 << st.MARINES) - 1
NUMBERS = (
    ("step", 0, len(st.STEPS) - 1),
    ("phase", 0, len(st.PHASES) - 1),
    ("stage", 0, len(st.STAGES) - 1),
    ("job", 0, len(st.JOBS) - 1),
    ("picker", 0, 1),
    ("marine", -1, st.MARINES - 1),
    ("sel_zone", -1, st.MAX_ZONES - 1),
    ("sel_type", -1, st.TYPES - 1),
    ("profile", -1, st.MAX_PROFILES - 1),
    ("card", -1, st.CARDS - 1),
    ("point", -1, st.MAX_POINTS - 1),
    ("attacker", -1, st.MODELS - 1),
    ("target_zone", -1, st.MAX_ZONES - 1),
    ("target", -1, st.MODELS - 1),
    ("hits", 0, 16),
    ("hazards", 0, 50),
    ("alone", 0, 1),
    ("moves_left", 0, 8),
    ("kept", 0, 8),
    ("fresh", 0, 1),
    ("entry", 0, st.MAX_ENTRIES),
    ("left", 0, 6),
    ("mix", 0, 6),
    ("placed", 0, 18),
    ("set_up", 0, 8),
    ("laid_now", 0, st.MAX_POINTS),
    ("team", 0, _EVERYBODY),
    ("first", -1, st.MARINES - 1),
    ("hand_size", -4, st.CARDS),
    ("lay_min", 0, st.MAX_POINTS),
    ("lay_max", 0, st.MAX_POINTS),
    ("team_size", 1, st.MARINES),
    ("late", 0, 1),
    ("injured", 0, _EVERYBODY),
    ("kills", 0, MOST_TURNS),
    ("krak", 0, 7),
    ("skull_zone", -1, st.MAX_ZONES - 1),
    ("carrier", -1, st.MARINES - 1),
    ("destroyed", 0, st.MAX_SECTIONS),
    ("arrived", 0, 1),
    ("lower_open", 0, 1),
    ("no_ambush", 0, 1),
    ("reinforced", 0, 1),
    ("pinned", 0, _EVERYBODY),
    ("jammed", 0, _EVERYBODY),
    ("no_recover", 0, _EVERYBODY),
    ("static", 0, _EVERYBODY),
    ("mesmerised", 0, _EVERYBODY),
    ("homer", -1, st.MARINES - 1),
    ("teleported", 0, 1),
    ("smoke_zone", -1, st.MAX_ZONES - 1),
    ("smoke_used", 0, 1),
    ("psychic_used", 0, 1),
    ("might", 0, 1),
    ("revealed_now", 0, 1),
    ("dust", 0, 1),
    ("draw_count", 0, st.DRAWS),
    ("played", 0, st.MISSIONS),
)
"""Lowest and highest number of each field."""

STEPS_OF_STAGE = {
    st.TEAM: (st.STEP_TEAM,),
    st.TEAM_ZONE: (st.STEP_MUSTER,),
    st.HOMER: (st.STEP_HOMER,),
    st.MUSTER_MARINE: (st.STEP_MUSTER,),
    st.MUSTER_ZONE: (st.STEP_MUSTER,),
    st.PLACE_MIX: (st.STEP_PLACE,),
    st.PLACE_ZONE: (st.STEP_PLACE,),
    st.BROOD: (st.STEP_BROOD,),
    st.BROOD_POINT: (st.STEP_BROOD,),
    st.GAMBIT_TARGET: tuple(range(st.STEP_BROOD, st.STEP_SECOND)),
    st.GAMBIT_SECOND: (st.STEP_CULT_MOVE, st.STEP_LAUNCH),
    st.GAMBIT_TYPE: (st.STEP_CULT_MOVE,),
    st.WINDOW: (st.STEP_WINDOW_MOVE, st.STEP_WINDOW_ATTACK, st.STEP_WINDOW_SECOND),
    st.DMOVE: (st.STEP_MOVE,),
    st.DMOVE_ACT: (st.STEP_MOVE,),
    st.CMOVE: (st.STEP_CULT_MOVE,),
    st.CMOVE_TYPE: (st.STEP_CULT_MOVE,),
    st.CMOVE_ACT: (st.STEP_CULT_MOVE,),
    st.CMOVE_ONE: (st.STEP_CULT_MOVE,),
    st.LAUNCH: (st.STEP_LAUNCH,),
    st.LAUNCH_MIX: (st.STEP_LAUNCH,),
    st.LAUNCH_TYPE: (st.STEP_LAUNCH,),
    st.DATT: (st.STEP_ATTACK, st.STEP_SECOND),
    st.DATT_ACT: (st.STEP_ATTACK, st.STEP_SECOND),
    st.DATT_ZONE: (st.STEP_ATTACK, st.STEP_SECOND),
    st.DATT_TYPE: (st.STEP_ATTACK, st.STEP_SECOND),
    st.CATT: (st.STEP_CULT_ATTACK,),
    st.CATT_TYPE: (st.STEP_CULT_ATTACK,),
    st.CATT_ACT: (st.STEP_CULT_ATTACK,),
    st.CATT_ONE: (st.STEP_CULT_ATTACK,),
    st.CATT_TARGET: (st.STEP_CULT_ATTACK,),
    st.CATT_REND: (st.STEP_CULT_ATTACK,),
    st.CAMPAIGN_PICK: (st.STEP_CAMPAIGN,),
}
NEEDED = {
    "marine": (st.TEAM_ZONE, st.MUSTER_ZONE, st.DMOVE_ACT, st.DATT_ACT, st.DATT_ZONE, st.DATT_TYPE),
    "card": (
        st.PLACE_MIX,
        st.BROOD_POINT,
        st.GAMBIT_TARGET,
        st.GAMBIT_SECOND,
        st.GAMBIT_TYPE,
        st.LAUNCH_MIX,
        st.LAUNCH_TYPE,
    ),
    "point": (st.LAUNCH_MIX, st.LAUNCH_TYPE),
    "sel_zone": (
        st.GAMBIT_TYPE,
        st.CMOVE_TYPE,
        st.CMOVE_ACT,
        st.CMOVE_ONE,
        st.CATT_TYPE,
        st.CATT_ACT,
        st.CATT_ONE,
        st.CATT_TARGET,
    ),
    "sel_type": (st.PLACE_ZONE, st.CMOVE_ACT, st.CMOVE_ONE, st.CATT_ACT, st.CATT_ONE, st.CATT_TARGET),
    "profile": (st.DATT_ZONE, st.DATT_TYPE, st.CATT_TARGET, st.CATT_REND),
    "target_zone": (st.DATT_TYPE, st.CATT_REND),
    "attacker": (st.CATT_REND, st.DATT_TYPE),
}
"""What has to be in hand at which stages."""

JOBS_OF_STAGE = {
    st.PLACE_MIX: (st.JOB_PLACE,),
    st.PLACE_ZONE: (st.JOB_PLACE,),
    st.LAUNCH_MIX: (st.JOB_LAUNCH,),
    st.CATT_REND: (st.JOB_HITS,),
    st.DATT_TYPE: (st.JOB_NONE, st.JOB_HITS),
}
"""What is going on while a decision is asked for; nothing at other stages."""


def flaws(states: NDArray[np.void], i: int) -> list[str]:
    """Return every number of a record that lies outside what kernels can take (empty: none)."""
    s = states[i]
    core = s["core"]
    found = []
    mission, asked = int(s["mission"]), int(core["mission"])
    if not 1 <= mission <= st.MISSIONS or (asked != st.CAMPAIGN and asked != mission):
        return [f"mission is {mission}; the environment is mission {asked} (10: the campaign)"]
    for field, low, high in NUMBERS:
        value = int(s[field])
        if not low <= value <= high:
            found.append(f"{field} is {value}; expected {low}..{high}")
    if not 0 <= core["queue_head"] <= core["queue_length"] <= QUEUE_SIZE:
        found.append("the queue of planned dice has no such ends")
    if not 0 <= int(core["turn"]) <= MOST_TURNS:
        found.append(f"turn is {int(core['turn'])}; expected 0..{MOST_TURNS}")
    t = tables()[0]
    zones = int(t["zones"][mission])
    for m in range(st.MODELS):
        zone, wounds = int(s["zone"][m]), int(s["wounds"][m])
        if not st.EXITED <= zone < zones:
            found.append(
                f"{names.model_name(m)} is in zone {zone}; expected 0..{zones - 1}, or {st.EXITED}..-1 off the board"
            )
        if not 0 <= wounds < t["health"][t["kind"][m]]:
            found.append(
                f"{names.model_name(m)} has {wounds} wounds; dies at {int(t['health'][t['kind'][m]])}"
            )
        if not 0 <= int(s["marks"][m]) < 8:
            found.append(f"{names.model_name(m)} has marks {int(s['marks'][m])}; expected 0..7")
    for field, low, high in (
        ("card_at", 0, 4),
        ("point_card", -1, st.CARDS - 1),
        ("point_marks", 0, 3),
        ("zone_marks", 0, 31),
        ("draws", 0, st.CARDS),
        ("results", -2, 2),
        ("teams", 0, _EVERYBODY),
    ):
        if (s[field] < low).any() or (s[field] > high).any():
            found.append(f"{field} holds numbers outside {low}..{high}")
    return found


def problems(states: NDArray[np.void], i: int) -> list[str]:
    """Return every way in which a record is not a possible position (empty: none).

    Args:
        states: Array of records, whatever they hold.
        i: Which of them.
    """
    states = np.asarray(states)
    found = flaws(states, i)
    s = states[i]
    return found or [*_board(s), *_cards(s), *_campaign(s), *_stage(s)]


def _board(s: Any) -> Iterator[str]:
    """Yield breaches of room, of what the record counts, and of who may be where."""
    t = tables()[0]
    mission = int(s["mission"])
    used = np.zeros(st.MAX_ZONES, np.int64)
    sides = np.zeros((2, st.MAX_ZONES), np.int64)
    team = int(s["team"])
    for m in range(st.MODELS):
        zone = int(s["zone"][m])
        if zone >= 0:
            used[zone] += t["cost"][t["kind"][m]]
            sides[int(m >= st.MARINES), zone] += 1
        elif m >= st.MARINES and zone != st.OFF and (zone, mission) != (st.SLAIN, st.TABLES_TURNED):
            yield f"{names.model_name(m)} is out of the game for good (OVK-G10)"
        elif m < st.MARINES and zone == st.RESERVE and mission != st.RECOVER:
            yield f"{names.model_name(m)} is in reserve, which only mission 3 has (OVK-M3.3)"
        if m < st.MARINES and zone != st.OFF and not team >> m & 1:
            yield f"{names.model_name(m)} takes part, but is not in the team"
        if zone < 0 and (s["wounds"][m] or (s["marks"][m] and m >= st.MARINES)):
            yield f"{names.model_name(m)} is off the board, but wounded or marked"
    for zone in map(int, np.flatnonzero(used > t["capacity"][mission])):
        yield f"zone {zone} holds {used[zone]} units; it has room for {int(t['capacity'][mission, zone])} (OVK-G03)"
    for zone in map(int, np.flatnonzero((t["section"][mission] < s["destroyed"]) & (used > 0))):
        yield f"zone {zone} is destroyed, but not empty (OVK-M4.3)"
    counted = (("used", used), ("marines_in", sides[0]), ("cult_in", sides[1]))
    for field, right in counted:
        if not np.array_equal(s[field], right):
            yield f"{field} does not say what is in the zones"
    for field, where in (("slain", st.SLAIN), ("exited", st.EXITED)):
        counted_here = int(np.sum(s["zone"][: st.MARINES] == where))
        if int(s[field]) != counted_here:
            yield f"{field} is {int(s[field])}, but {counted_here} marines are"
    if s["homer"] >= 0 and not team >> int(s["homer"]) & 1:
        yield "the homer is carried by nobody of the team (OVK-D13)"
    if mission == st.RECOVER and (s["skull_zone"] >= 0) == (s["carrier"] >= 0) and s["exited"] == 0:
        yield "the skull lies in a zone or is carried, not both and not neither (OVK-M3.6)"
    if s["carrier"] >= 0 and s["zone"][int(s["carrier"])] < 0:
        yield "the skull's carrier is not on the board (OVK-M3.6)"
    if s["team"] and not (s["first"] >= 0 and team >> int(s["first"]) & 1):
        yield "somebody of the team was named first"
    if mission != st.RECOVER and (s["skull_zone"] >= 0 or s["carrier"] >= 0):
        yield "there is a skull, which only mission 3 has (OVK-M3.5)"
    if mission != st.EXTERMINATUS and s["destroyed"]:
        yield "sections are destroyed, which only mission 4 does (OVK-M4.3)"


def _cards(s: Any) -> Iterator[str]:
    """Yield breaches of where cards are (OVK-B)."""
    t = tables()[0]
    mission = int(s["mission"])
    for c in range(st.CARDS):
        if (s["card_at"][c] != st.CARD_OUT) != bool(t["deck"][mission, c]):
            where = st.CARD_PLACES[int(s["card_at"][c])]
            yield f"{names.card_name(c)} is {where}, which does not fit this mission's deck (OVK-B01)"
    laid = [int(c) for c in s["point_card"] if c >= 0]
    if sorted(laid) != [int(c) for c in np.flatnonzero(s["card_at"] == st.CARD_LAID)]:
        yield "the cards on Ambush Points are not those that are laid"
    for a in range(st.MAX_POINTS):
        if s["point_card"][a] < 0:
            if s["point_marks"][a]:
                yield f"point {a} has marks without a card"
        elif a >= t["points"][mission]:
            yield f"point {a} does not exist in this mission"
    planned = [int(c) for c in s["draws"][: int(s["draw_count"])]]
    if any(c == 0 for c in planned) or any(s["draws"][int(s["draw_count"]) :]):
        yield "planned draws are no queue"


def _campaign(s: Any) -> Iterator[str]:
    """Yield breaches of what was played before (OVK-C)."""
    mission, played = int(s["mission"]), int(s["played"])
    if int(s["core"]["mission"]) != st.CAMPAIGN:
        if played or s["results"].any() or s["teams"].any():
            yield "missions were played before, which is so in the campaign only (OVK-C01)"
        return
    if s["results"][played:].any() or s["teams"][played:].any():
        yield f"{played} missions were played, but later ones have results or teams (OVK-C01)"
    if not s["core"]["over"] and played != (mission if int(s["step"]) == st.STEP_CAMPAIGN else mission - 1):
        yield f"{played} missions were played before mission {mission} (OVK-C01)"


def _stage(s: Any) -> Iterator[str]:
    """Yield breaches of whose decision is asked for, and of what must be in hand for it."""
    core = s["core"]
    stage = int(s["stage"])
    if bool(core["over"]) != (stage == st.OVER):
        yield f"stage is {st.STAGES[stage]}, but the game is {'' if core['over'] else 'not '}over"
        return
    if stage == st.OVER:
        return
    if int(s["step"]) not in STEPS_OF_STAGE[stage]:
        yield f"stage {st.STAGES[stage]} is not asked for in step {st.STEPS[int(s['step'])]!r}"
    deathwatch = (
        *range(st.HOMER + 1),
        st.DMOVE,
        st.DMOVE_ACT,
        *range(st.DATT, st.DATT_TYPE + 1),
        st.DATT_ZONE,
    )
    seat = st.DEATHWATCH if stage in deathwatch else st.CULT
    if stage in (st.MUSTER_MARINE, st.MUSTER_ZONE):
        seat = int(s["picker"])
    if int(core["seat"]) != seat:
        yield f"stage {st.STAGES[stage]} is a decision of seat {seat}"
    for field, stages in NEEDED.items():
        if stage in stages and int(s[field]) < 0:
            yield f"stage {st.STAGES[stage]} needs {field}"
    t = tables()[0]
    mission = int(s["mission"])
    for field in ("sel_zone", "target_zone", "skull_zone", "smoke_zone"):
        if int(s[field]) >= t["zones"][mission]:
            yield f"{field} is {int(s[field])}; the mission has {int(t['zones'][mission])} zones"
    if int(s["point"]) >= t["points"][mission]:
        yield f"point is {int(s['point'])}; the mission has {int(t['points'][mission])}"
    if stage == st.CAMPAIGN_PICK and (int(core["mission"]), mission) != (st.CAMPAIGN, st.TABLES_TURNED):
        yield "a slain marine is named after mission 7 of the campaign only (OVK-C06)"
    yield from _who_acts(s, stage)
    yield from _group_in_hand(s, stage)


def _who_acts(s: Any, stage: int) -> Iterator[str]:
    """Yield breaches of where the marine in hand is, and of an attack that is going on."""
    t = tables()[0]
    marine, attacker = int(s["marine"]), int(s["attacker"])
    zone = int(s["zone"][marine]) if marine >= 0 else 0
    if stage in (st.TEAM_ZONE, st.MUSTER_ZONE) and zone != st.OFF:
        yield "the marine in hand is placed already"
    reserve = stage == st.DMOVE_ACT and zone == st.RESERVE
    if stage in (st.DMOVE_ACT, st.DATT_ACT, st.DATT_ZONE, st.DATT_TYPE) and zone < 0 and not reserve:
        yield "the marine in hand is not on the board"
    if stage == st.PLACE_ZONE and s["left"] == 0:
        yield "stage PLACE_ZONE needs left"
    if (
        stage not in (st.DATT_TYPE, st.CATT_REND)
        or min(attacker, int(s["target_zone"]), int(s["profile"])) < 0
    ):
        return
    kind, here = int(t["kind"][attacker]), int(s["zone"][attacker])
    if here < 0:
        yield "the attacker is not on the board"
    elif attacker != marine if stage == st.DATT_TYPE else attacker < st.MARINES:
        yield "the attacker is not who has the choice"
    elif t["band"][int(s["mission"]), here, int(s["target_zone"])] >= st.OUT:
        yield "what is attacked is out of range (OVK-A02)"
    if s["profile"] >= t["profiles"][kind]:
        yield f"profile is {int(s['profile'])}; the attacker has {int(t['profiles'][kind])} (OVK-A02)"


def _group_in_hand(s: Any, stage: int) -> Iterator[str]:
    """Yield breaches of the group or the marine in hand, without whom no mask can be filled."""
    t = tables()[0]
    if stage in NEEDED["sel_type"] and stage != st.PLACE_ZONE and s["sel_zone"] >= 0 and s["sel_type"] >= 0:
        kind = int(s["sel_type"])
        first = int(t["first"][kind])
        group = slice(first, first + int(t["count"][kind]))
        used = st.MOVED if stage in (st.CMOVE_ACT, st.CMOVE_ONE) else st.ACTED
        if not np.any((s["zone"][group] == s["sel_zone"]) & (s["marks"][group] & used == 0)):
            yield "the group in hand has no model left"
    jobs = JOBS_OF_STAGE.get(stage, (st.JOB_NONE,))
    if int(s["job"]) not in jobs:
        yield f"job is {st.JOBS[int(s['job'])]!r}; stage {st.STAGES[stage]} has {st.JOBS[jobs[0]]!r}"
    card, entry = int(s["card"]), int(s["entry"])
    asks_for_mix = stage in (st.PLACE_MIX, st.LAUNCH_MIX) and card >= 0
    if asks_for_mix and (entry >= t["entries"][card] or t["entry_type"][card, entry, 1] < 0):
        yield f"entry {entry} of {names.card_name(card)} is no mix of two types"
    gambit = int(t["gambit"][card]) if card >= 0 else -1
    if stage == st.GAMBIT_TARGET and gambit in (st.WHISPER, st.DUST):
        yield f"{names.gambit_name(gambit)} has no target"
    if stage == st.GAMBIT_TYPE and gambit != st.TUNNELS:
        yield f"{names.gambit_name(gambit)} takes no group"
    if stage == st.GAMBIT_SECOND:
        held = s["sel_zone"] >= 0 and s["sel_type"] >= 0 if gambit == st.TUNNELS else s["point"] >= 0
        if gambit not in (st.TUNNELS, st.SHIFT, st.MASSES) or not held:
            yield f"{names.gambit_name(gambit)} has no second target, or not yet a first one"
