"""Why an action is illegal, for the decisions that only missions 3 to 6 ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broodmind.envs.core.game import Reason
from broodmind.envs.macragge import names
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.assault import INCHES, charges_in_mission, is_near, may_be_charged
from broodmind.envs.macragge.rules.contact import is_locked, touches_group
from broodmind.envs.macragge.rules.fighting import may_be_struck
from broodmind.envs.macragge.rules.moving import owner_of_unit
from broodmind.envs.macragge.rules.shooting import has_fired

VERBS = {
    st.CORE_CARRIER: ("MODEL",),
    st.RETREAT: ("LANE", "CROSS"),
    st.SHOOT_SELECT: ("SELECT", "DISARM", "PASS"),
    st.SHOOT_TARGET: ("TARGET", "SCUTTLE", "PASS"),
    st.MISSILE_TYPE: ("MISSILE", "PASS"),
    st.AIM: ("MODEL",),
    st.ASSAULT_SELECT: ("SELECT", "PASS"),
    st.ASSAULT_TARGET: ("TARGET",),
    st.ASSAULT_CELL: ("DEST", "AUTO"),
    st.STRIKE: ("MODEL",),
    st.ACID_DIR: ("DIR",),
    st.BEACON: ("ACTIVATE", "PASS"),
    st.SPAWN: ("TARGET", "SPAWN", "PASS"),
}
"""What each decision offers; those not named here are the same in all missions."""

CLAUSES = {
    st.CORE_CARRIER: "MAC-B55",
    st.RETREAT: "MAC-M4.6",
    st.AIM: "MAC-M5.4",
    st.ASSAULT_TARGET: "MAC-B41",
    st.ASSAULT_CELL: "MAC-B42",
    st.STRIKE: "MAC-B47",
    st.SPAWN: "MAC-M3.7",
}
"""The clause by which a decision knows no passing."""


def _carrier(_: Any, slot: int) -> Reason:
    return Reason(
        "MAC-B55", f"{names.model_name(slot)} cannot carry the core: Varras or one of Squad Octavian does."
    )


def _lane(s: Any, lane: int) -> Reason:
    dy = abs(lane - names.LANE_COUNT // 2)
    far = names.inches(2 * int(s["allowance"]))
    return Reason(
        "MAC-M4.6", f"{names.inches(dy)} sideways in {far} is more than 41 degrees off the way out."
    )


def _unit_trouble(s: Any, unit: int) -> Reason | None:
    """Say why a unit can do nothing at all this turn."""
    name = names.group_name(unit)
    if int(s["groups"][unit]["living"]) <= 0:
        return Reason("MAC-B29", f"{name}: none of its models is on the table.")
    if owner_of_unit(s, unit) != int(s["active"]):
        return Reason("MAC-B12", f"{name} belongs to the other player.")
    return None


def _shooter(s: Any, unit: int) -> Reason:
    trouble = _unit_trouble(s, unit)
    name = names.group_name(unit)
    if trouble:
        return trouble
    if has_fired(s, unit):
        return Reason("MAC-B30", f"{name} has shot this turn; a unit shoots once.")
    if is_locked(s, unit):
        return Reason("MAC-B37", f"{name} is locked in close combat and cannot shoot.")
    return Reason("MAC-B7", f"{name} has no target in range.")


def _disarm(s: Any, _: int) -> Reason:
    if s["core"]["mission"] != st.FUSION_CORE or s["fusion_core"] != st.CORE_IN_WRECK:
        return Reason("MAC-M3.2", "There is no fusion core to take out.")
    if int(s["models"][st.VARRAS]["marks"]) & st.FLAG_BUSY:
        return Reason("MAC-M3.2", "Varras has tried this turn.")
    return Reason("MAC-M3.2", "Varras can only try before the squad fires.")


def _target(s: Any, group: int) -> Reason:
    name = names.group_name(group)
    unit = int(s["unit"])
    if group < st.UNITS:
        if int(s["groups"][group]["living"]) <= 0:
            return Reason("MAC-B30", f"{name} is not on the table.")
        if owner_of_unit(s, group) == owner_of_unit(s, unit):
            return Reason("MAC-B30", f"{name} is on the same side.")
        if is_locked(s, group):
            return Reason("MAC-B37", f"{name} is locked in close combat and is not shot at.")
        return Reason("MAC-B7", f"No model of {names.group_name(unit)} can reach {name} now.")
    return Reason("MAC-B30", f"{name} is no target in this mission, or out of range.")


def _scuttle(s: Any, _: int) -> Reason:
    return Reason("MAC-M5.6", f"{names.group_name(int(s['unit']))} cannot scuttle: only Termagant units do.")


def _missile(_: Any, __: int) -> Reason:
    return Reason("MAC-M5.4", "A frag missile does nothing to the hive node.")


def _aim(s: Any, slot: int) -> Reason:
    name = names.model_name(slot)
    m = s["models"][slot]
    if m["status"] != st.STATUS_TABLE or int(m["group"]) != int(s["target"]):
        return Reason("MAC-M5.4", f"{name} is not in {names.group_name(int(s['target']))}.")
    return Reason("MAC-M5.4", f"The blast over {name} would touch an Ultramarine.")


def _charger(s: Any, unit: int) -> Reason:
    trouble = _unit_trouble(s, unit)
    name = names.group_name(unit)
    if trouble:
        return trouble
    if int(s["groups"][unit]["marks"]) & st.GROUP_ASSAULTED:
        return Reason("MAC-B40", f"{name} has charged this turn.")
    if not charges_in_mission(s, unit):
        return Reason("MAC-B41", f"{name} may not charge now.")
    return Reason("MAC-B41", f"{name} has nothing to charge within {INCHES} inches that a model can reach.")


def _charge_target(s: Any, group: int) -> Reason:
    name, unit = names.group_name(group), int(s["unit"])
    if not may_be_charged(s, unit, group):
        return Reason("MAC-B41", f"{name} is nothing to be charged.")
    if is_locked(s, unit):
        touching = any(
            int(s["models"][slot]["group"]) == unit and touches_group(s, slot, group)
            for slot in range(st.FIRST_MINE)
        )
        if not touching:
            return Reason(
                "MAC-B45", f"{names.group_name(unit)} is locked with others and piles in there only."
            )
    elif not is_near(s, unit, group):
        return Reason("MAC-B41", f"{name} is farther than {INCHES} inches.")
    return Reason("MAC-B42", f"No model of {names.group_name(unit)} can reach {name}.")


def _charge_cell(s: Any, cell: int) -> Reason:
    dx, dy = names.DEST_OFFSETS[cell]
    m = s["models"][int(s["model"])]
    x, y = int(m["x"]) + dx, int(m["y"]) + dy
    target = names.group_name(int(s["target"]))
    return Reason(
        "MAC-B42", f"({x}, {y}) is no spot in contact with {target} that it can reach in good order."
    )


def _struck(s: Any, slot: int) -> Reason:
    name, fighter = names.model_name(slot), int(s["model"])
    if int(s["models"][slot]["marks"]) & st.FLAG_LAID:
        return Reason("MAC-B47", f"{name} is down already.")
    assert not may_be_struck(s, fighter, slot)
    return Reason("MAC-B48", f"{name} is no enemy in contact with {names.model_name(fighter)}.")


def _no_mine(s: Any, kind: int) -> Reason:
    if s["core"]["mission"] != st.PURGE_THE_XENOS:
        return Reason("MAC-M3.7", "There are no spore mines in this mission.")
    return Reason("MAC-M6.8", f"No {names.spawn_name(kind)} mine is out of play.")


def _must_appear(_: Any, __: int) -> Reason:
    return Reason("MAC-M3.7", "The Genestealers must be placed.")


def _wreck(s: Any, group: int) -> Reason:
    if s["core"]["mission"] == st.PURGE_THE_XENOS:
        return Reason("MAC-M6.8", "The marker at hand returns a mine here, or none: choose its type.")
    name = names.group_name(group)
    if group < st.FIRST_WRECK_GROUP:
        return Reason("MAC-M3.7", f"Genestealers appear behind wreckage, not at {name}.")
    return Reason("MAC-M3.7", f"There is no room for all of them behind {name}.")


REASONS: dict[tuple[int, str], Callable[[Any, int], Reason]] = {
    (st.CORE_CARRIER, "MODEL"): _carrier,
    (st.RETREAT, "LANE"): _lane,
    (st.SHOOT_SELECT, "SELECT"): _shooter,
    (st.SHOOT_SELECT, "DISARM"): _disarm,
    (st.SHOOT_TARGET, "TARGET"): _target,
    (st.SHOOT_TARGET, "SCUTTLE"): _scuttle,
    (st.MISSILE_TYPE, "MISSILE"): _missile,
    (st.AIM, "MODEL"): _aim,
    (st.ASSAULT_SELECT, "SELECT"): _charger,
    (st.ASSAULT_TARGET, "TARGET"): _charge_target,
    (st.ASSAULT_CELL, "DEST"): _charge_cell,
    (st.STRIKE, "MODEL"): _struck,
    (st.SPAWN, "TARGET"): _wreck,
    (st.SPAWN, "SPAWN"): _no_mine,
    (st.SPAWN, "PASS"): _must_appear,
}
