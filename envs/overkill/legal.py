"""The action mask, from the same predicates that the rules apply (ledger section 3)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import kernel
from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.rules.attacking import (
    has_conduit,
    is_shielded,
    may_act,
    may_attack,
    may_mesmerise,
    may_use_profile,
)
from broodmind.envs.overkill.rules.board import first_of_group, fits, is_free
from broodmind.envs.overkill.rules.cards import MIX_CHOICES, best_mix, may_lay, may_substitute, mixed
from broodmind.envs.overkill.rules.gambits import (
    MASSES,
    gambits_now,
    may_target_marine,
    may_target_point,
    may_target_zone,
    may_tunnel,
    may_tunnel_to,
)
from broodmind.envs.overkill.rules.moving import fill_reach, speed
from broodmind.envs.overkill.rules.skills import may_reveal, may_use_in_attack, may_use_in_move
from broodmind.envs.overkill.setup import may_carry_homer, may_join, may_muster, may_place
from broodmind.envs.overkill.turn import group_may_be_picked, may_end, may_part, may_pick_to_move


@kernel
def fill_mask(s, t, mask) -> None:
    """Fill the mask with 0 and 1; all 0 when the game is over."""
    for a in range(mask.shape[0]):
        mask[a] = 0
    stage = int(s.stage)
    if s.core.over or stage == st.OVER or stage < 0:
        return
    mask[act.END] = 1 if may_end(s, t) else 0
    if stage == st.BROOD or stage == st.WINDOW or stage == st.CMOVE or stage == st.LAUNCH or stage == st.CATT:
        gambits = gambits_now(s, t)
        for c in range(st.CARDS):
            if s.card_at[c] == st.CARD_HAND and gambits >> int(t.gambit[c]) & 1:
                mask[act.GAMBIT + c] = 1
    if stage == st.WINDOW:
        return
    if stage <= st.PLACE_ZONE or stage == st.MUSTER_ZONE or stage == st.CAMPAIGN_PICK:
        fill_set_up(s, t, stage, mask)
    elif stage == st.BROOD:
        if may_lay(s, t):
            for c in range(st.CARDS):
                mask[act.CARD + c] = s.card_at[c] == st.CARD_HAND
    elif stage == st.BROOD_POINT:
        for point in range(st.MAX_POINTS):
            mask[act.POINT + point] = is_free(s, t, point)
    elif stage == st.GAMBIT_TARGET or stage == st.GAMBIT_SECOND or stage == st.GAMBIT_TYPE:
        fill_gambit(s, t, stage, mask)
    elif stage == st.LAUNCH:
        for point in range(st.MAX_POINTS):
            mask[act.POINT + point] = s.point_card[point] >= 0
    elif stage == st.LAUNCH_MIX:
        card = int(s.card)
        entry = int(s.entry)
        fill_mixes(
            s,
            t,
            int(t.entry_type[card, entry, 0]),
            int(t.entry_type[card, entry, 1]),
            int(t.entry_count[card, entry]),
            int(t.point_zone[int(s.mission), int(s.point)]),
            mask,
        )
    elif stage == st.LAUNCH_TYPE:
        for kind in range(st.TYPES):
            mask[act.TYPE + kind] = may_substitute(s, t, kind)
    elif stage == st.DMOVE:
        for m in range(st.MARINES):
            mask[act.MARINE + m] = may_pick_to_move(s, t, m)
    elif stage == st.DATT:
        for m in range(st.MARINES):
            mask[act.MARINE + m] = may_act(s, m)
    elif stage == st.DMOVE_ACT or stage == st.DATT_ACT or stage == st.DATT_ZONE or stage == st.DATT_TYPE:
        fill_marine(s, t, stage, mask)
    else:
        fill_cult(s, t, stage, mask)


@kernel
def fill_set_up(s, t, stage: int, mask) -> None:
    """Offer the choices of set-up and of the campaign."""
    if stage == st.PLACE_MIX:
        card = int(s.card)
        entry = int(s.entry)
        first = int(t.entry_type[card, entry, 0])
        second = int(t.entry_type[card, entry, 1])
        fill_mixes(s, t, first, second, int(t.entry_count[card, entry]), -1, mask)
    elif stage == st.PLACE_ZONE:
        for zone in range(t.zones[int(s.mission)]):
            mask[act.ZONE + zone] = may_place(s, t, zone)
    elif stage == st.TEAM_ZONE or stage == st.MUSTER_ZONE:
        for zone in range(t.zones[int(s.mission)]):
            mask[act.ZONE + zone] = may_muster(s, t, int(s.marine), zone)
    else:
        for m in range(st.MARINES):
            if stage == st.TEAM:
                offered = may_join(s, m)
            elif stage == st.HOMER:
                offered = may_carry_homer(s, m)
            elif stage == st.MUSTER_MARINE:
                offered = s.zone[m] == st.OFF
            else:
                offered = s.zone[m] == st.SLAIN
            mask[act.MARINE + m] = offered


@kernel
def fill_mixes(s, t, first: int, second: int, count: int, zone: int, mask) -> None:
    """Offer the mixes of two types that place as many models as possible (OVK-L03)."""
    best = best_mix(s, t, first, second, count, zone)
    for k in range(MIX_CHOICES):
        mask[act.MIX + k] = mixed(s, t, first, second, count, zone, k) == best


@kernel
def fill_gambit(s, t, stage: int, mask) -> None:
    """Offer the targets of the gambit in hand."""
    gambit = int(t.gambit[int(s.card)])
    if stage == st.GAMBIT_TYPE:
        for kind in range(st.TYPES):
            mask[act.TYPE + kind] = may_tunnel(s, t, kind, int(s.sel_zone))
    elif stage == st.GAMBIT_TARGET:
        for m in range(st.MARINES):
            mask[act.MARINE + m] = may_target_marine(s, gambit, m)
        for zone in range(t.zones[int(s.mission)]):
            mask[act.ZONE + zone] = may_target_zone(s, t, gambit, zone)
        for point in range(st.MAX_POINTS):
            mask[act.POINT + point] = may_target_point(s, t, gambit, point)
    elif gambit == st.MASSES:
        zone = int(t.point_zone[int(s.mission), int(s.point)])
        fill_mixes(s, t, st.AUTOGUN, st.AUTOPISTOL, MASSES, zone, mask)
    else:
        for point in range(st.MAX_POINTS):
            if gambit == st.SHIFT:
                mask[act.POINT + point] = is_free(s, t, point)
            else:
                mask[act.POINT + point] = may_tunnel_to(s, t, int(s.sel_type), int(s.sel_zone), point)


@kernel
def fill_zones(s, t, model: int, moves: int, mask) -> None:
    """Offer the zones in a model's reach."""
    steps = np.empty(st.MAX_ZONES, np.int64)
    fill_reach(s, t, model, moves, steps)
    for zone in range(t.zones[int(s.mission)]):
        if steps[zone] > 0:
            mask[act.ZONE + zone] = 1


@kernel
def fill_marine(s, t, stage: int, mask) -> None:
    """Offer what the marine in hand may do."""
    m = int(s.marine)
    mission = int(s.mission)
    if stage == st.DMOVE_ACT:
        if s.zone[m] == st.RESERVE:
            for point in range(t.points[mission]):
                zone = int(t.point_zone[mission, point])
                if fits(s, t, m, zone):
                    mask[act.ZONE + zone] = 1
        elif s.moves_left > 0:
            fill_zones(s, t, m, int(s.moves_left), mask)
        for ability in range(act.SPARE):
            mask[act.ABILITY + ability] = may_use_in_move(s, t, m, ability)
        for point in range(st.MAX_POINTS):
            mask[act.POINT + point] = may_reveal(s, t, m, point)
    elif stage == st.DATT_ACT:
        for ability in range(act.SPARE):
            mask[act.ABILITY + ability] = may_use_in_attack(s, t, m, ability)
        if s.marks[m] & st.ACTED == 0:
            for profile in range(st.MAX_PROFILES):
                mask[act.PROFILE + profile] = may_use_profile(s, t, m, profile)
            if s.marks[m] & st.RAN == 0:
                fill_zones(s, t, m, 1, mask)
    elif stage == st.DATT_ZONE:
        for zone in range(t.zones[mission]):
            mask[act.ZONE + zone] = may_attack(s, t, m, int(s.profile), zone)
    else:
        for kind in range(st.TYPES):
            model = first_of_group(s, t, kind, int(s.target_zone), 0)
            if model >= 0 and not is_shielded(s, t, m, model):
                mask[act.TYPE + kind] = 1


@kernel
def fill_cult(s, t, stage: int, mask) -> None:
    """Offer what the cult may do in its movement and Attack phases."""
    moving = s.step == st.STEP_CULT_MOVE
    if stage == st.CMOVE or stage == st.CATT:
        used = st.MOVED if moving else st.ACTED
        for kind in range(st.TYPES):
            first = int(t.first[kind])
            looked_at = 0  # groups of this type, by zone
            for model in range(first, first + int(t.count[kind])):
                zone = int(s.zone[model])
                if zone < 0 or s.marks[model] & used or looked_at >> zone & 1:
                    continue
                looked_at |= 1 << zone
                if mask[act.ZONE + zone] == 0 and group_may_be_picked(s, t, kind, zone):
                    mask[act.ZONE + zone] = 1
    elif stage == st.CMOVE_TYPE or stage == st.CATT_TYPE:
        for kind in range(st.TYPES):
            mask[act.TYPE + kind] = group_may_be_picked(s, t, kind, int(s.sel_zone))
    elif stage == st.CATT_REND:
        for m in range(st.MARINES):
            if s.zone[m] == s.target_zone and not is_shielded(s, t, int(s.attacker), m):
                mask[act.MARINE + m] = 1
    elif moving:
        model = first_of_group(s, t, int(s.sel_type), int(s.sel_zone), st.MOVED)
        fill_zones(s, t, model, speed(s, t, model), mask)
        mask[act.ALONE] = stage == st.CMOVE_ACT and may_part(s, t)
    else:
        fill_cult_attack(s, t, stage, mask)


@kernel
def fill_cult_attack(s, t, stage: int, mask) -> None:
    """Offer how the picked group attacks, and what."""
    kind = st.MARINES + int(s.sel_type)
    zone = int(s.sel_zone)
    model = first_of_group(s, t, int(s.sel_type), zone, st.ACTED)
    if stage == st.CATT_TARGET:
        profile = int(s.profile)
        blast = profile < t.profiles[kind] and t.rules[kind, profile] & st.BLAST
        for m in range(st.MARINES):
            there = int(s.zone[m])
            if there < 0:
                continue
            if (profile == act.MESMERISE and may_mesmerise(s, t, model, m)) or has_conduit(
                s, t, model, profile
            ):
                mask[act.MARINE + m] = 1
            if may_attack(s, t, model, profile, there):
                mask[act.ZONE + there if blast else act.MARINE + m] = 1
        return
    for profile in range(st.MAX_PROFILES):
        if stage == st.CATT_ONE and profile < t.profiles[kind] and t.rules[kind, profile] & st.BLAST:
            continue
        mask[act.PROFILE + profile] = may_use_profile(s, t, model, profile)
    runner = first_of_group(s, t, int(s.sel_type), zone, st.ACTED | st.RAN)
    if runner >= 0:
        fill_zones(s, t, runner, 1, mask)
    if stage == st.CATT_ACT:
        mask[act.ALONE] = may_part(s, t) and has_single(s, t, mask, kind)


@kernel
def has_single(s, t, mask, kind: int) -> bool:
    """Say whether one model alone would have a choice: an attack that is no Blast, or a run."""
    for profile in range(st.MAX_PROFILES):
        if mask[act.PROFILE + profile] and not (
            profile < t.profiles[kind] and t.rules[kind, profile] & st.BLAST
        ):
            return True
    for zone in range(st.MAX_ZONES):
        if mask[act.ZONE + zone]:
            return True
    return False
