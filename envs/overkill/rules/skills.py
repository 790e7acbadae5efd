"""What a marine may do beside moving and shooting: skills, exits, the skull, grenades (OVK-D, OVK-M)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.rules.attacking import may_attach, may_recover, may_take_skull, recover
from broodmind.envs.overkill.rules.board import barred, fits, put, roll, wound
from broodmind.envs.overkill.rules.moving import leave_board, may_exit, may_leave_here
from broodmind.envs.overkill.rules.objectives import check


@kernel
def may_reveal(s, t, m: int, point: int) -> bool:
    """Say whether Suberei's eagle may turn up the card on a point (OVK-D11)."""
    if t.skills[m] & st.VENGLA == 0 or s.revealed_now or s.zone[m] < 0 or s.point_card[point] < 0:
        return False
    zone = int(t.point_zone[int(s.mission), point])
    near = t.band[int(s.mission), int(s.zone[m]), zone] <= st.MAXIMUM
    return near and s.point_marks[point] & st.TURNED_UP == 0


@kernel
def reveal(s, log, point: int) -> None:
    """Turn up the card on a point; it stays there (OVK-L06)."""
    s.revealed_now = 1
    s.point_marks[point] |= st.TURNED_UP
    emit(log, st.EVENT_TURNED_UP, int(s.point_card[point]), point)


@kernel
def may_use_in_move(s, t, m: int, ability: int) -> bool:
    """Say whether the marine picked in the movement phase may use an ability now."""
    if ability == act.TAKE_SKULL:
        return may_take_skull(s, m)
    if s.zone[m] < 0:
        return False
    if ability == act.EXIT:
        return may_exit(s, t, m, int(s.moves_left))
    if ability == act.SMOKE:
        return t.skills[m] & st.SMOKE != 0 and s.smoke_used == 0
    if s.fresh == 0:
        return False
    if ability == act.TELEPORT:
        if t.skills[m] & st.TELEPORT == 0 or s.teleported or s.homer < 0:
            return False
        zone = int(s.zone[int(s.homer)])
        return zone >= 0 and zone != s.zone[m] and fits(s, t, m, zone)
    if ability == act.QUICKEN or ability == act.MIGHT:
        return t.skills[m] & st.PSYCHIC != 0 and s.psychic_used == 0
    return False


@kernel
def may_go_on(s, t, m: int) -> bool:
    """Say whether the picked marine, having moved or used a skill, has something left to do (stage 12)."""
    if s.zone[m] < 0:
        return False
    if s.moves_left > 0:
        return True
    for ability in range(act.SPARE):
        if may_use_in_move(s, t, m, ability):
            return True
    for point in range(st.MAX_POINTS):
        if may_reveal(s, t, m, point):
            return True
    return False


@kernel
def take_skull(s, log, m: int) -> None:
    """Give the skull to a marine; with moves left he may go on (OVK-M3.5, M3.7)."""
    s.carrier = m
    s.skull_zone = -1
    emit(log, st.EVENT_SKULL, 1, m, int(s.zone[m]))
    if s.kept > 0:
        s.moves_left = s.kept
        s.kept = 0


@kernel
def use_in_move(s, t, log, m: int, ability: int) -> None:
    """Use an ability in the movement phase."""
    if ability == act.TAKE_SKULL:
        take_skull(s, log, m)
        return
    if ability == act.EXIT:
        leave_board(s, t, log, m)
        return
    emit(log, st.EVENT_ABILITY, m, ability)
    if ability == act.SMOKE:
        s.smoke_used = 1
        s.smoke_zone = s.zone[m]
    elif ability == act.TELEPORT:
        s.teleported = 1
        s.fresh = 0
        s.moves_left = 0
        zone = int(s.zone[int(s.homer)])
        emit(log, st.EVENT_PLACED, m, zone)
        put(s, t, m, zone)
        check(s, t, log)
    else:
        s.psychic_used = 1
        if ability == act.QUICKEN:
            s.moves_left = int(s.moves_left) + 1
        else:
            s.might = 1
        if roll(s, log, st.ROLL_PERIL, m, 2, st.DEATHWATCH) == 1:
            wound(s, t, log, m)
            check(s, t, log)


@kernel
def may_use_in_attack(s, t, m: int, ability: int) -> bool:
    """Say whether the marine picked in an Attack phase may use an ability now."""
    if ability == act.TAKE_SKULL:
        return may_take_skull(s, m)
    if s.zone[m] < 0 or s.marks[m] & (st.ACTED | st.RAN):
        return False
    if ability == act.RECOVER:
        return may_recover(s, t, m)
    if ability == act.ATTACH:
        return may_attach(s, t, m)
    if ability == act.EXIT:
        zone = int(s.zone[m])
        return may_leave_here(s, t, m) and zone == t.exit_zone[int(s.mission)] and not barred(s, zone, m)
    return False


@kernel
def use_in_attack(s, t, log, m: int, ability: int) -> None:
    """Use an ability in an Attack phase; all but taking the skull is the marine's action (OVK-A01)."""
    if ability == act.TAKE_SKULL:
        take_skull(s, log, m)
        return
    s.marks[m] |= st.ACTED
    if ability == act.RECOVER:
        recover(s, log, m)
    elif ability == act.ATTACH:
        s.krak |= 1 << (int(t.silo[st.FIRESTORM, int(s.zone[m])]) - 1)
        emit(log, st.EVENT_ATTACHED, m, int(s.zone[m]))
        check(s, t, log)
    else:
        leave_board(s, t, log, m)
