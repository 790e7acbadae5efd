"""What a seat may see of the explorers: a row each. What they carry is written only when it changed."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.maze import state as st
from broodmind.envs.maze.layout import (
    AWAY,
    CREW,
    HORROR_STEPS,
    KEYS_OF_MODEL,
    MODEL_FEATURES,
    MODEL_KEYS,
    MOST,
    OBSERVATION,
    WAYS,
)
from broodmind.envs.maze.observe_board import DARK_SHIFT, SAME_FLOOR, place_of, write_place
from broodmind.envs.maze.rules.board import count_bits, sees, unlit_vents
from broodmind.envs.maze.rules.shooting import hit_penalty
from broodmind.envs.maze.rules.tools import must_use_blade

MODELS_AT = OBSERVATION.offsets["models"]
MODEL_WIDTH = len(MODEL_FEATURES)
WEAPON_COLUMN = OBSERVATION["models"].column("weapon_1_boltgun")
CHARGES_COLUMN = OBSERVATION["models"].column("bolter_magazine")
TOOLS_COLUMN = CHARGES_COLUMN + st.CHARGES
PLACE_COLUMN = OBSERVATION["models"].column("dx")


@kernel
def is_new(memory, m: int, part: int, key: int) -> bool:
    """Note a number that a part of a model's row follows from; return whether it was another one before."""
    at = MODEL_KEYS + m * KEYS_OF_MODEL + part
    before = memory[at]
    memory[at] = key
    return before != key


@kernel
def weapons_key(s, m: int) -> int:
    """Pack a model's weapons and charges; 0 for none."""
    key = 0
    for slot in range(st.SLOTS):
        key = key << 9 | (int(s.weapon[m, slot]) + 1) << 5 | int(s.shots[m, slot])
    for k in range(st.CHARGES):
        key = key << 4 | int(s.ammo[m, k])
    return key


@kernel
def fill_weapons(s, m: int, out, at: int) -> None:
    """Write a model's weapons and charges."""
    for slot in range(st.SLOTS):
        column = at + WEAPON_COLUMN + slot * (st.WEAPONS + 1)
        for w in range(st.WEAPONS):
            out[column + w] = 1 if s.weapon[m, slot] == w else 0
        out[column + st.WEAPONS] = s.shots[m, slot] / 10
    for k in range(st.CHARGES):
        out[at + CHARGES_COLUMN + k] = s.ammo[m, k] / 5


@kernel
def tools_key(s, m: int) -> int:
    """Pack a model's tools; 0 for none."""
    key = 0
    for k in range(st.TOOLS):
        key = key << 4 | int(s.tools[m, k])
    return key


@kernel
def fill_condition(s, t, m: int, out, at: int) -> None:
    """Write how a model fares."""
    now = s.core.turn
    out[at + 4] = s.wounds[m] / t.wounds[m]
    out[at + 5] = s.wounds[m] / 7
    out[at + 6] = s.morale[m] / t.morale[m]
    out[at + 7] = s.morale[m] / 15
    out[at + 8] = 1 if s.morale[m] == 0 else 0
    out[at + 9] = s.lost[m]
    out[at + 10] = s.acts[m] / 2
    injury = int(s.injury[m]) | int(s.injury[m]) >> st.FRESH
    out[at + 11] = 1 if injury & st.CONCUSSION else 0
    out[at + 12] = 1 if injury & st.BLOODLOSS else 0
    out[at + 13] = 1 if injury & st.THREATENED else 0
    out[at + 14] = 1 if s.delir[m] >= now else 0
    out[at + 15] = 1 if s.halluc[m] >= now else 0
    out[at + 16] = 1 if s.suicid[m] >= now else 0
    out[at + 17] = hit_penalty(s, m) / 5
    out[at + 18] = s.mourn[m]
    out[at + 19] = s.no_fire[m]
    out[at + 20] = 1 if m == st.TERMINATOR and s.crux[m] == 0 else 0
    out[at + 21] = 1 if s.beacon_at == st.BEACON_CARRIED and s.beacon_id == m else 0
    out[at + 22] = 1 if s.pendant[m] >= now else 0
    out[at + 23] = 1 if s.model_marks[m] & st.BLADE_SAVE else 0
    out[at + 24] = 1 if must_use_blade(s, t, m) else 0
    out[at + 25] = 1 if s.scanner[m] else 0


@kernel
def fill_surroundings(s, t, m: int, origin: int, out, at: int, memory) -> None:
    """Write where a model on the board stands, and what is there."""
    a = int(s.at[m])
    place = place_of(s, origin, a)
    write_place(place, out, at)
    out[at + 2] = place >> SAME_FLOOR & 1
    out[at + 3] = unlit_vents(s, t, a) / st.VENTS
    out[at + 4] = (int(memory[WAYS + a]) >> DARK_SHIFT & 7) / 4
    out[at + 5] = 0
    out[at + 6] = MOST
    if s.h_state == st.PROWLING:
        out[at + 5] = 1 if sees(s, m, int(s.h_tile)) > 0 else 0
        found = int(memory[HORROR_STEPS + a])
        if found > 0:
            out[at + 6] = (found - 1) / AWAY
    out[at + 7] = count_bits(int(memory[CREW + a])) / st.MODELS
    out[at + 8] = count_bits(int(s.group[m])) / st.MODELS


@kernel
def fill_model(s, t, m: int, origin: int, out, memory) -> None:
    """Write the row of a model."""
    at = MODELS_AT + m * MODEL_WIDTH
    status = int(s.status[m])
    for k in range(WEAPON_COLUMN):
        out[at + k] = 0
    for k in range(PLACE_COLUMN, MODEL_WIDTH):
        out[at + k] = 0
    out[at + status] = 1
    if status < st.TAKEN:
        fill_condition(s, t, m, out, at)
    if is_new(memory, m, 0, weapons_key(s, m)):
        fill_weapons(s, m, out, at)
    if is_new(memory, m, 1, tools_key(s, m)):
        for k in range(st.TOOLS):
            out[at + TOOLS_COLUMN + k] = s.tools[m, k] / 4
    if status == st.BOARD:
        fill_surroundings(s, t, m, origin, out, at + PLACE_COLUMN, memory)
