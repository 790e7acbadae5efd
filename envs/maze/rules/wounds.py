"""Wounds, saves, Injuries, death, and the end of the game (MAZE-12, 13, 25 to 28, 39, 40, 94 to 96)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import roll
from broodmind.envs.maze.rules.items import NO_TILE, beacon_back, held, lose, strip
from broodmind.envs.maze.rules.morale import lose_morale

PASSED, FAILED, ONE = range(3)
"""How a save went; ONE is a natural 1."""
NO_NEED = 7
"""A save that needs this much or more cannot be passed."""


@kernel
def end_game(s, log, result: int, reason: int) -> None:
    """End the game; `result` is half points of the Imperials (MAZE-42)."""
    if s.core.over == 0:
        s.core.over = 1
        s.core.result = result
        s.core.truncated = 1 if reason == st.OVER_TURNS else 0
        emit(log, st.LOG_OVER, result, reason)


@kernel
def check_victory(s, log) -> None:
    """End the game if the explorer with the Beacon is on the Shuttle (MAZE-39)."""
    if s.beacon_at != st.BEACON_CARRIED:
        return
    m = int(s.beacon_id)
    if s.status[m] == st.BOARD and s.kind[int(s.at[m])] == st.SHUTTLE:
        end_game(s, log, st.WIN, st.OVER_BEACON)


@kernel
def check_survivors(s, log) -> None:
    """End the game if no explorer is left; the fallen count as left (MAZE-40)."""
    for m in range(st.MODELS):
        if s.status[m] <= st.FALLEN:
            return
    end_game(s, log, st.LOSS, st.OVER_NOBODY)


@kernel
def leave_play(s, m: int, status: int) -> None:
    """Clear what a model that leaves play has going on."""
    s.status[m] = status
    s.at[m] = -1
    s.regroup = 1
    s.acts[m] = 0
    s.wounds[m] = 0
    s.lost[m] = 0
    s.scanner[m] = st.SCANNER_OFF
    if s.early == 1 + m:
        s.early = 0
    if s.pulse == 1 + m:
        s.pulse = 0


@kernel
def die(s, log, m: int) -> None:
    """Slay a model; its items drop on its tile (MAZE-28). Those of the fallen are lost, not the Beacon (MAZE-53)."""
    a = int(s.at[m])
    emit(log, st.LOG_SLAIN, m, a)
    if s.status[m] == st.BOARD:
        strip(s, log, m, a)
    else:
        discard_all(s, m)
    leave_play(s, m, st.DEAD)
    check_survivors(s, log)


@kernel
def discard_all(s, m: int) -> None:
    """Take everything from a model; the Beacon is in its room again."""
    for k in range(st.SLOTS):
        s.weapon[m, k] = -1
        s.shots[m, k] = 0
    for k in range(st.CHARGES):
        s.ammo[m, k] = 0
    for k in range(st.TOOLS):
        s.tools[m, k] = 0
    s.skull[m] = 0
    if s.beacon_at == st.BEACON_CARRIED and s.beacon_id == m:
        beacon_back(s)


@kernel
def take_away(s, log, m: int) -> None:
    """Let the Horror take a model; its items go to the corpses (MAZE-28, 77)."""
    emit(log, st.LOG_TAKEN, m)
    strip(s, log, m, NO_TILE)
    if m < st.SCIONS:
        s.corpse_scion = int(s.corpse_scion) + 1
    else:
        s.corpse_marine = int(s.corpse_marine) + 1
    leave_play(s, m, st.TAKEN)
    check_survivors(s, log)


@kernel
def hurt(s, log, m: int, wounds: int) -> None:
    """Take wounds from a model that is alive."""
    if s.status[m] > st.FALLEN or wounds <= 0:
        return
    left = max(0, int(s.wounds[m]) - wounds)
    emit(log, st.LOG_WOUNDED, m, int(s.wounds[m]) - left, left)
    s.wounds[m] = left
    if left == 0:
        die(s, log, m)


@kernel
def heal(s, t, log, m: int, wounds: int) -> None:
    """Give a model wounds back, up to its profile."""
    now = min(int(t.wounds[m]), int(s.wounds[m]) + wounds)
    if now != s.wounds[m]:
        emit(log, st.LOG_HEALED, m, now - int(s.wounds[m]), now)
        s.wounds[m] = now


@kernel
def save_needed(s, t, m: int, ap: int) -> int:
    """Return what a model's armour save needs (MAZE-13, 121)."""
    need = int(t.save[m]) + ap
    if s.model_marks[m] & st.BLADE_SAVE:
        need -= 1
    return need


@kernel
def roll_save(s, t, log, m: int, ap: int) -> int:
    """Roll an armour save."""
    need = save_needed(s, t, m, ap)
    value = roll(s, log, st.ROLL_SAVE, m, need)
    if value == 1:
        return ONE
    return PASSED if value >= need else FAILED


@kernel
def save(s, t, log, m: int, ap: int, damage: int, always: bool) -> int:
    """Make a save that asks nobody; the Crux Terminatus is used on the first failure that would slay (MAZE-25).

    Args:
        s: The state.
        t: The tables.
        log: The event log.
        m: The model.
        ap: How much the save is worse.
        damage: What a failure costs.
        always: Whether the die is rolled even where it cannot succeed (MAZE-127).
    """
    if not always and save_needed(s, t, m, ap) >= NO_NEED:
        return FAILED
    result = roll_save(s, t, log, m, ap)
    if result != PASSED and m == st.TERMINATOR and s.crux[m] == 0 and s.wounds[m] <= damage:
        s.crux[m] = 1
        emit(log, st.LOG_CRUX, m)
        result = roll_save(s, t, log, m, ap)
    return result


# -- Injuries ----------------------------------------------------------------------------------------------------


@kernel
def has_injury(s, m: int) -> bool:
    """Say whether a model has an Injury that can be cured."""
    return s.injury[m] != 0


@kernel
def cure(s, log, m: int) -> None:
    """Remove one Injury: Life-Threatening, else Bloodloss, else Concussion (MAZE-114)."""
    for k in range(3):
        bit = st.THREATENED >> k
        if s.injury[m] & (bit | bit << st.FRESH):
            s.injury[m] &= ~(bit | bit << st.FRESH)
            emit(log, st.LOG_CURED, m, bit)
            return


@kernel
def suffer(s, m: int, bit: int) -> None:
    """Give a model an Injury; in its own phase it counts from the next turn (MAZE-96)."""
    if s.step == st.STEP_ACTIONS and bit != st.CONCUSSION:
        if s.injury[m] & bit == 0:
            s.injury[m] |= bit << st.FRESH
    else:
        s.injury[m] |= bit


@kernel
def could_save(s, giver: int, m: int) -> bool:
    """Say whether a model can give a Medkit against another's Mortal Injury (MAZE-94)."""
    if giver == m or s.status[giver] != st.BOARD or s.status[m] != st.BOARD:
        return False
    return s.at[giver] == s.at[m] and held(s, giver, st.MEDKIT) > 0


@kernel
def first_saver(s, m: int) -> int:
    """Return the lowest model with a Medkit for another, or -1."""
    for giver in range(st.MODELS):
        if could_save(s, giver, m):
            return giver
    return -1


@kernel
def give_medkit(s, log, giver: int, m: int) -> None:
    """Spend a Medkit on a Mortal Injury: Bloodloss, and nothing healed (MAZE-95)."""
    emit(log, st.LOG_USED, giver, st.MEDKIT)
    lose(s, giver, st.MEDKIT)
    suffer(s, m, st.BLOODLOSS)


@kernel
def injure(s, log, m: int, number: int) -> bool:
    """Apply an Injury; return whether it is a Mortal one that a Medkit at hand could turn (MAZE-94)."""
    emit(log, st.LOG_INJURED, m, number)
    if number == 2:
        lose_morale(s, log, m, 1, True)
    elif number == 3:
        suffer(s, m, st.CONCUSSION)
    elif number == 4:
        suffer(s, m, st.BLOODLOSS)
    elif number == 5:
        suffer(s, m, st.THREATENED)
    elif number == 6:
        if first_saver(s, m) >= 0:
            return True
        die(s, log, m)
    return False


# -- the Horror --------------------------------------------------------------------------------------------------


@kernel
def horror_leaves(s, log, state: int) -> None:
    """Take the Horror off the board: to the Shadows, to its Nest, or out of play."""
    emit(log, st.LOG_HORROR_MOVED, int(s.h_tile), -1, state)
    s.h_state = state
    s.h_tile = -1


@kernel
def hurt_horror(s, log, wounds: int) -> None:
    """Take wounds from the Horror; at 0 it is slain for good (MAZE-27)."""
    left = max(0, int(s.h_wounds) - wounds)
    emit(log, st.LOG_HORROR_WOUNDED, int(s.h_wounds) - left, left)
    s.h_wounds = left
    if left == 0:
        emit(log, st.LOG_HORROR_SLAIN)
        horror_leaves(s, log, st.SLAIN)


@kernel
def horror_saves(s, t, log, ap: int, always: bool) -> bool:
    """Roll the Horror's save; where it cannot succeed there is no die unless `always` (MAZE-13, 127)."""
    need = int(t.horror_save) + ap
    if need >= NO_NEED and not always:
        return False
    value = roll(s, log, st.ROLL_HORROR_SAVE, -1, need)
    return value != 1 and value >= need
