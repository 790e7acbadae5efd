"""What a seat may see of the explorers: a row each, of which only the parts that changed are written.

Each part follows from one number, its key; 0 for a part that is all zeros.
"""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.maze import state as st
from broodmind.envs.maze.layout import (
    AWAY,
    KEYS_OF_MODEL,
    MODEL_FEATURES,
    MODEL_KEYS,
    MOST,
    OBSERVATION,
)
from broodmind.envs.maze.observe_board import (
    HORROR_STEPS,
    SAME_FLOOR,
    STEPS_MASK,
    crew_of,
    dark_ends,
    place_of,
    steps_to,
    write_place,
)
from broodmind.envs.maze.rules.board import count_bits, sees, unlit_vents
from broodmind.envs.maze.rules.shooting import hit_penalty
from broodmind.envs.maze.rules.tools import must_use_blade

MODELS_AT = OBSERVATION.offsets["models"]
MODEL_WIDTH = len(MODEL_FEATURES)
WEAPON_COLUMN = OBSERVATION["models"].column("weapon_1_boltgun")
CHARGES_COLUMN = OBSERVATION["models"].column("bolter_magazine")
TOOLS_COLUMN = CHARGES_COLUMN + st.CHARGES
PLACE_COLUMN = OBSERVATION["models"].column("dx")
STATUS_COLUMNS = len(st.STATUSES)
FLAG_COLUMN = OBSERVATION["models"].column("broken")
ACTS_COLUMN = OBSERVATION["models"].column("actions")
PENALTY_COLUMN = OBSERVATION["models"].column("penalty")
FLAGS = WEAPON_COLUMN - FLAG_COLUMN

WEAPONS_PART, TOOLS_PART, CONDITION_PART, PLACE_PART = range(KEYS_OF_MODEL)
# The parts of what `condition_key` returns after the flags, by their lowest bits.
WOUNDS, MORALE, ACTS, PENALTY, STATUS = 18, 22, 27, 29, 32
# The parts of what `place_key` returns after those of `place_of`.
VENTS, DARK, SEES, STEPS, MATES, GROUP, PRESENT = 14, 17, 20, 21, 26, 29, 32


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
def condition_key(s, t, m: int) -> int:
    """Pack how a model fares: flags in the order of their columns, numbers, 1 + its status."""
    key = (int(s.status[m]) + 1) << STATUS
    if s.status[m] >= st.TAKEN:
        return key
    now = s.core.turn
    injury = int(s.injury[m]) | int(s.injury[m]) >> st.FRESH
    key |= int(s.lost[m]) << 1 | (injury & 7) << 3 | int(s.mourn[m]) << 10 | int(s.no_fire[m]) << 11
    key |= int(s.wounds[m]) << WOUNDS | int(s.morale[m]) << MORALE | int(s.acts[m]) << ACTS
    key |= hit_penalty(s, m) << PENALTY
    if s.morale[m] == 0:
        key |= 1
    if s.delir[m] >= now:
        key |= 1 << 6
    if s.halluc[m] >= now:
        key |= 1 << 7
    if s.suicid[m] >= now:
        key |= 1 << 8
    if m == st.TERMINATOR and s.crux[m] == 0:
        key |= 1 << 12
    if s.beacon_at == st.BEACON_CARRIED and s.beacon_id == m:
        key |= 1 << 13
    if s.pendant[m] >= now:
        key |= 1 << 14
    if s.model_marks[m] & st.BLADE_SAVE:
        key |= 1 << 15
    if must_use_blade(s, t, m):
        key |= 1 << 16
    if s.scanner[m]:
        key |= 1 << 17
    return key


@kernel
def fill_condition(t, m: int, key: int, out, at: int) -> None:
    """Write how a model fares."""
    for status in range(STATUS_COLUMNS):
        out[at + status] = 1 if (key >> STATUS) - 1 == status else 0
    wounds = key >> WOUNDS & 15
    morale = key >> MORALE & 31
    out[at + 4] = wounds / t.wounds[m]
    out[at + 5] = wounds / 7
    out[at + 6] = morale / t.morale[m]
    out[at + 7] = morale / 15
    for k in range(FLAGS):
        out[at + FLAG_COLUMN + k] = key >> k & 1
    out[at + ACTS_COLUMN] = (key >> ACTS & 3) / 2
    out[at + PENALTY_COLUMN] = (key >> PENALTY & 7) / 5


@kernel
def place_key(s, t, m: int, origin: int, memory) -> int:
    """Pack where a model stands, and what is there; 0 off the board."""
    if s.status[m] != st.BOARD:
        return 0
    a = int(s.at[m])
    key = 1 << PRESENT | place_of(s, origin, a) | unlit_vents(s, t, a) << VENTS | dark_ends(memory, a) << DARK
    key |= count_bits(crew_of(memory, a)) << MATES | count_bits(int(s.group[m])) << GROUP
    if s.h_state == st.PROWLING:
        key |= steps_to(memory, a, HORROR_STEPS) << STEPS
        if sees(s, m, int(s.h_tile)) > 0:
            key |= 1 << SEES
    return key


@kernel
def fill_place(key: int, out, at: int) -> None:
    """Write where a model stands, and what is there."""
    write_place(key, out, at)
    out[at + 2] = key >> SAME_FLOOR & 1
    out[at + 3] = (key >> VENTS & 7) / st.VENTS
    out[at + 4] = (key >> DARK & 7) / 4
    out[at + 5] = key >> SEES & 1
    steps = key >> STEPS & STEPS_MASK
    out[at + 6] = 0 if key == 0 else (steps - 1) / AWAY if steps > 0 else MOST
    out[at + 7] = (key >> MATES & 7) / st.MODELS
    out[at + 8] = (key >> GROUP & 7) / st.MODELS


@kernel
def fill_model(s, t, m: int, origin: int, out, memory) -> None:
    """Write the parts of a model's row that changed."""
    at = MODELS_AT + m * MODEL_WIDTH
    if is_new(memory, m, WEAPONS_PART, weapons_key(s, m)):
        fill_weapons(s, m, out, at)
    if is_new(memory, m, TOOLS_PART, tools_key(s, m)):
        for k in range(st.TOOLS):
            out[at + TOOLS_COLUMN + k] = s.tools[m, k] / 4
    condition = condition_key(s, t, m)
    if is_new(memory, m, CONDITION_PART, condition):
        fill_condition(t, m, condition, out, at)
    place = place_key(s, t, m, origin, memory)
    if is_new(memory, m, PLACE_PART, place):
        fill_place(place, out, at + PLACE_COLUMN)
