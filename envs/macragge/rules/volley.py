"""A unit shoots at one target group: shots, hits, wounds, cover saves (MAC-B30 to B33, B36, B37)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive, roll, slay
from broodmind.envs.macragge.rules.contact import (
    NOBODY,
    distance_to_group,
    first_enemy,
    locked_units,
    nearest_of_group,
    radii_to_group,
)
from broodmind.envs.macragge.rules.frames import pop_frame, push_frame
from broodmind.envs.macragge.rules.geometry import apart, square, within_inches
from broodmind.envs.macragge.rules.loads import give_core
from broodmind.envs.macragge.rules.missile import FRAG, fire_frag, wound_target
from broodmind.envs.macragge.rules.moving import owner_of_unit
from broodmind.envs.macragge.rules.node import wound_node
from broodmind.envs.macragge.rules.shooting import (
    flame_directions,
    has_fired,
    template_directions,
    wound_marker,
)


@kernel
def is_stationary(s, group: int) -> bool:
    """Say whether a squad shoots at the rate of one that stands: it did not move; in mission 4 never (MAC-B31)."""
    return s.core.mission != st.XENO_TIDE and s.groups[group].marks & st.GROUP_DISPLACED == 0


@kernel
def range_of(s, t, slot: int) -> int:
    """Return how far a model can shoot now, in inches (MAC-B31); 0: not at all, or with a template."""
    m = s.models[slot]
    stationary = is_stationary(s, int(m.group))
    if m.kind == st.KIND_BOLTER:
        return max(t.range_rapid, t.range_bolter) if stationary else t.range_rapid
    if m.kind == st.KIND_MISSILE:
        return t.range_missile if stationary else 0
    if m.kind == st.KIND_TERMAGANT:
        return t.range_fleshborer
    if m.kind == st.KIND_VARRAS and m.marks & st.FLAG_BUSY:
        return 0
    return t.range_pistol if m.kind == st.KIND_VARRAS or m.kind == st.KIND_OCTAVIAN else 0


@kernel
def shots_at(s, t, slot: int, group: int) -> int:
    """Return how many shots a model has at a target group now (MAC-B31); a flamer's one is its template."""
    m = s.models[slot]
    if m.kind == st.KIND_FLAMER:
        return 1 if template_directions(s, t, group) != 0 else 0
    inches = range_of(s, t, slot)
    if inches == 0:
        return 0
    d2 = distance_to_group(s, group, int(m.x), int(m.y))
    radii = radii_to_group(s, group)
    if not within_inches(d2, inches, radii):
        return 0
    if m.kind == st.KIND_BOLTER:
        return 2 if within_inches(d2, t.range_rapid, radii) else 1
    if m.kind == st.KIND_VARRAS or m.kind == st.KIND_OCTAVIAN:
        return 2 if is_stationary(s, int(m.group)) else 1
    return 1


@kernel
def is_gone(s, group: int) -> bool:
    """Say whether nothing is left of a target group: no model, or a node without wounds."""
    if group == st.GROUP_NODE:
        return s.pieces[st.PIECE_NODE].kind == st.PIECE_NONE or s.pieces[st.PIECE_NODE].hp <= 0
    return group >= st.STORED_GROUPS or s.groups[group].living <= 0


@kernel
def groups_in_range(s, t, slot: int) -> int:
    """Return, as bits, the enemy groups that a model has a shot at, but for a flamer's."""
    inches = range_of(s, t, slot)
    if inches == 0:
        return 0
    m = s.models[slot]
    found = 0
    ultramarine = slot < st.FIRST_GENESTEALER
    for other in range(first_enemy(slot), st.MODELS if ultramarine else st.FIRST_GENESTEALER):
        o = s.models[other]
        if o.status == st.STATUS_TABLE and within_inches(apart(m, o), inches, 2):
            found |= 1 << int(o.group)
    if ultramarine:
        for k in range(st.FIRST_MARKER, st.PIECE_NODE + 1):
            p = s.pieces[k]
            if p.kind != st.PIECE_NONE and within_inches(apart(m, p), inches, 1 + int(p.r)):
                found |= 1 << (st.FIRST_MARKER_GROUP + k - st.FIRST_MARKER)
    return found


@kernel
def targets_of(s, t, unit: int, locked: int) -> int:
    """Return, as bits, the groups that a unit may shoot at: not locked, and some model has a shot at them.

    `locked` comes from `locked_units`.
    """
    found = 0
    flames = False
    for slot in range(st.FIRST_MINE):
        m = s.models[slot]
        if m.status == st.STATUS_TABLE and m.group == unit:
            found |= groups_in_range(s, t, slot)
            flames = flames or m.kind == st.KIND_FLAMER
    if flames:
        for group in range(st.FIRST_GENESTEALER_UNIT, st.GROUP_NODE):
            if (found >> group) & 1 == 0 and not is_gone(s, group) and template_directions(s, t, group) != 0:
                found |= 1 << group
    if is_gone(s, st.GROUP_NODE):
        found &= ~(1 << st.GROUP_NODE)
    return found & ~locked


@kernel
def may_shoot(s, t, unit: int, locked: int) -> bool:
    """Say whether a unit may be picked to shoot: unfired, not locked, with a legal target (MAC-B30, B37).

    `locked` comes from `locked_units`.
    """
    g = s.groups[unit]
    if g.kind == st.GROUP_NONE or g.living <= 0 or has_fired(s, unit) or (locked >> unit) & 1:
        return False
    if st.FIRST_GENESTEALER_UNIT <= unit and unit <= st.LAST_GENESTEALER_UNIT:
        return False
    return may_scuttle(unit) or targets_of(s, t, unit, locked) != 0


@kernel
def may_scuttle(unit: int) -> bool:
    """Say whether a unit may scuttle instead of shooting: Termagants that are no nest (MAC-M5.6)."""
    return st.FIRST_TERMAGANT_UNIT <= unit and unit <= st.LAST_TERMAGANT_UNIT


@kernel
def may_disarm(s) -> bool:
    """Say whether Varras may try to take out the core: once a turn, before the squad fires (MAC-M3.2)."""
    return (
        s.core.mission == st.FUSION_CORE
        and s.fusion_core == st.CORE_IN_WRECK
        and alive(s, st.VARRAS)
        and s.models[st.VARRAS].marks & st.FLAG_BUSY == 0
        and not has_fired(s, st.GROUP_OCTAVIAN)
    )


@kernel
def any_shooting(s, t) -> bool:
    """Say whether the active player has anything to decide in the shooting step."""
    if s.active == st.ULTRAMARINES and may_disarm(s):
        return True
    locked = locked_units(s)
    for unit in range(st.UNITS):
        if s.groups[unit].living > 0 and owner_of_unit(s, unit) == s.active and may_shoot(s, t, unit, locked):
            return True
    return False


@kernel
def disarm(s, t, log) -> None:
    """Try to take the core out; Varras does not shoot this turn (MAC-M3.2)."""
    s.models[st.VARRAS].marks |= st.FLAG_BUSY
    if roll(s, log, st.ROLL_DISARM, st.VARRAS, t.disarm, st.ULTRAMARINES) >= t.disarm:
        give_core(s, log, st.VARRAS)


@kernel
def begin_volley(s, t, unit: int, group: int) -> None:
    """Declare a unit's fire at a group: every model's number of shots is fixed now (MAC-B30)."""
    for slot in range(st.FIRST_MINE):
        m = s.models[slot]
        if alive(s, slot) and m.group == unit:
            m.attacks = shots_at(s, t, slot, group)
    s.groups[unit].marks |= st.GROUP_FIRED | st.GROUP_SHOT
    s.unit = unit
    s.target = group
    push_frame(s, st.FRAME_VOLLEY, unit, group)


@kernel
def run_volley(s, t, log) -> None:
    """Fire the next shot of the volley on top of the stack, or end it."""
    frame = s.frames[int(s.frame_count) - 1]
    unit = int(frame.a)
    group = int(frame.b)
    s.unit = unit
    s.target = group
    for slot in range(st.FIRST_MINE):
        m = s.models[slot]
        if not alive(s, slot) or m.group != unit or m.attacks <= 0:
            continue
        if is_gone(s, group):
            m.attacks = 0  # the unit is gone: the rest of the shots are lost
        elif m.kind == st.KIND_FLAMER:
            m.attacks = 0
            if flame_directions(s, t) != 0:
                s.shooter = slot
                s.phase = st.FLAME
                return
        elif m.kind == st.KIND_MISSILE:
            m.attacks = 0
            s.shooter = slot
            s.phase = st.MISSILE_TYPE
            return
        else:
            m.attacks = int(m.attacks) - 1
            if m.kind == st.KIND_TERMAGANT:
                frame.c = int(frame.c) + fire_fleshborer(s, t, log, slot, group)
            elif group >= st.FIRST_MARKER_GROUP and group < st.GROUP_NODE:
                fire_at_marker(s, t, log, slot, group)
            elif group == st.GROUP_NODE:
                fire_at_node(s, t, log, slot, t.wound_node[0])
            else:
                fire_shot(s, t, log, slot, group)
            return
    failed = int(frame.c)
    end_volley(s)
    if failed > 0:
        emit(log, st.EVENT_WOUNDED, group, failed)
        push_frame(s, st.FRAME_CASUALTIES, group, failed)


@kernel
def end_volley(s) -> None:
    """Let go of the unit that has shot."""
    s.unit = -1
    s.target = -1
    s.shooter = -1
    pop_frame(s)


@kernel
def fire_missile(s, t, log, kind: int) -> None:
    """Fire the kind of missile that was chosen at the target at hand (MAC-M5.4)."""
    if kind == FRAG:
        fire_frag(s, t, log)
    elif s.target >= st.FIRST_MARKER_GROUP and s.target < st.GROUP_NODE:
        fire_at_marker(s, t, log, st.MISSILE, int(s.target))
    elif s.target == st.GROUP_NODE:
        fire_at_node(s, t, log, st.MISSILE, t.wound_node[1])
    else:
        fire_shot(s, t, log, st.MISSILE, int(s.target))


@kernel
def fire_at_node(s, t, log, slot: int, wound: int) -> None:
    """Fire one shot at the node: hit, wound (MAC-M5.4)."""
    emit(log, st.EVENT_SHOT, slot, st.GROUP_NODE, -1)
    hit = t.hit[int(s.models[slot].kind)]
    if roll(s, log, st.ROLL_TO_HIT, -1, hit, st.ULTRAMARINES) < hit:
        return
    if roll(s, log, st.ROLL_TO_WOUND, -1, wound, st.ULTRAMARINES) >= wound:
        wound_node(s, log)


@kernel
def fire_at_marker(s, t, log, slot: int, group: int) -> None:
    """Fire one shot at a marker: hit, wound; the second wound destroys it (MAC-M6.5)."""
    emit(log, st.EVENT_SHOT, slot, group, -1)
    hit = t.hit[int(s.models[slot].kind)]
    if roll(s, log, st.ROLL_TO_HIT, -1, hit, st.ULTRAMARINES) < hit:
        return
    if roll(s, log, st.ROLL_TO_WOUND, -1, t.wound_bolt_marker, st.ULTRAMARINES) >= t.wound_bolt_marker:
        wound_marker(s, log, st.FIRST_MARKER + group - st.FIRST_MARKER_GROUP)


@kernel
def fire_fleshborer(s, t, log, slot: int, group: int) -> int:
    """Fire one shot at a squad: hit, wound, armour save; returns 1 for a failed save (MAC-B35, 2.3)."""
    me = s.models[slot]
    victim = nearest_marine(s, group, int(me.x), int(me.y))
    if victim < 0:
        victim = st.VARRAS  # alone, he is shot at with his own numbers (MAC-B36)
    emit(log, st.EVENT_SHOT, slot, group, victim)
    hit = t.hit[st.KIND_TERMAGANT]
    if roll(s, log, st.ROLL_TO_HIT, victim, hit, st.TYRANIDS) < hit:
        return 0
    wound = t.fleshborer[int(s.models[victim].kind)]
    if roll(s, log, st.ROLL_TO_WOUND, victim, wound, st.TYRANIDS) < wound:
        emit(log, st.EVENT_SPARED, victim)
        return 0
    save = t.save_varras if victim == st.VARRAS else t.save_space_marine
    if roll(s, log, st.ROLL_SAVE, victim, save, st.ULTRAMARINES) >= save:
        emit(log, st.EVENT_SAVED, victim, 1)
        return 0
    if victim == st.VARRAS:
        slay(s, log, victim)
        return 0
    return 1


@kernel
def nearest_marine(s, group: int, x: int, y: int) -> int:
    """Return the Space Marine of a squad nearest to a point; Varras is not hit while one lives (MAC-B36)."""
    best = -1
    best_d2 = NOBODY
    for slot in range(st.OCTAVIAN, st.FIRST_GENESTEALER):
        m = s.models[slot]
        if alive(s, slot) and m.group == group:
            d2 = square(int(m.x), int(m.y), x, y)
            if d2 < best_d2:
                best = slot
                best_d2 = d2
    return best


@kernel
def fire_shot(s, t, log, slot: int, group: int) -> None:
    """Fire one shot at the nearest survivor of a unit: hit, wound, cover save (MAC-B32, B33)."""
    me = s.models[slot]
    victim = nearest_of_group(s, group, int(me.x), int(me.y))
    emit(log, st.EVENT_SHOT, slot, group, victim)
    hit = t.hit[int(me.kind)]
    if roll(s, log, st.ROLL_TO_HIT, victim, hit, st.ULTRAMARINES) < hit:
        return
    wound_target(s, t, log, victim)
