"""What models carry and what lies on tiles (MAZE-15, 19, 66 to 68, 107, 164)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st

NO_TILE = -1
"""Where the items of the taken are left: with the corpses."""


@kernel
def type_of(item: int) -> int:
    """Return whether an item is a weapon, a charge, a tool or the Beacon."""
    if item < st.FIRST_CHARGE:
        return st.WEAPON_TYPE
    if item < st.FIRST_TOOL:
        return st.CHARGE_TYPE
    if item < st.BEACON:
        return st.TOOL_TYPE
    return st.BEACON_TYPE


@kernel
def held(s, m: int, item: int) -> int:
    """Count how many of an item a model carries."""
    if item < st.FIRST_CHARGE:
        count = 0
        for k in range(st.SLOTS):
            if s.weapon[m, k] == item:
                count += 1
        return count
    if item < st.FIRST_TOOL:
        return int(s.ammo[m, item - st.FIRST_CHARGE])
    if item < st.BEACON:
        return int(s.tools[m, item - st.FIRST_TOOL])
    return 1 if s.beacon_at == st.BEACON_CARRIED and s.beacon_id == m else 0


@kernel
def count_type(s, m: int, kind: int) -> int:
    """Count what a model carries of a type."""
    count = 0
    if kind == st.WEAPON_TYPE:
        for k in range(st.SLOTS):
            if s.weapon[m, k] >= 0:
                count += 1
    elif kind == st.CHARGE_TYPE:
        for k in range(st.CHARGES):
            count += int(s.ammo[m, k])
    elif kind == st.TOOL_TYPE:
        for k in range(st.TOOLS):
            count += int(s.tools[m, k])
    return count


@kernel
def has_room(s, t, m: int, item: int) -> bool:
    """Say whether a model has room for an item; the Beacon takes none (MAZE-19)."""
    kind = type_of(item)
    return kind == st.BEACON_TYPE or count_type(s, m, kind) < t.capacity[m, kind]


@kernel
def may_take(s, t, m: int, item: int) -> bool:
    """Say whether a model may carry an item and has room for it."""
    return t.may_carry[m, item] == 1 and has_room(s, t, m, item)


@kernel
def may_drop_for(s, m: int, item: int, other: int) -> bool:
    """Say whether a model may leave an item of its own in exchange for one of the same type (MAZE-66)."""
    if type_of(other) != type_of(item) or held(s, m, other) == 0:
        return False
    return other != item or item < st.FIRST_CHARGE


@kernel
def may_swap(s, m: int, item: int) -> bool:
    """Say whether a model has something to leave in exchange for an item."""
    for other in range(st.BEACON):
        if may_drop_for(s, m, item, other):
            return True
    return False


@kernel
def lying(s, a: int, item: int) -> int:
    """Count how many of an item lie on a tile; on the Nest those of the taken, too (MAZE-164)."""
    nest = s.kind[a] == st.NEST
    if item == st.BEACON:
        here = s.beacon_at == st.BEACON_ON_GROUND and s.beacon_id == a
        return 1 if here or (nest and s.beacon_at == st.BEACON_WITH_CORPSES) else 0
    count = int(s.pile[a, item])
    return count + int(s.nest_pile[item]) if nest else count


@kernel
def anything_lies(s, a: int) -> bool:
    """Say whether there may be something to pick up on a tile."""
    if s.loose[a] > 0 or s.kind[a] == st.NEST:
        return True
    return s.beacon_at == st.BEACON_ON_GROUND and s.beacon_id == a


@kernel
def gain(s, t, log, m: int, item: int, load: int) -> None:
    """Give a model an item that it has room for; `load` is a weapon's shots or a Servo Skull's uses."""
    emit(log, st.LOG_TOOK, m, item, int(s.at[m]))
    if item < st.FIRST_CHARGE:
        slot = 0 if s.weapon[m, 0] < 0 else 1
        s.weapon[m, slot] = item
        s.shots[m, slot] = load
    elif item < st.FIRST_TOOL:
        s.ammo[m, item - st.FIRST_CHARGE] = int(s.ammo[m, item - st.FIRST_CHARGE]) + 1
    elif item < st.BEACON:
        s.tools[m, item - st.FIRST_TOOL] = int(s.tools[m, item - st.FIRST_TOOL]) + 1
        if item == st.SKULL:
            s.skull[m] = load
    else:
        s.beacon_at = st.BEACON_CARRIED
        s.beacon_id = m
        s.beacon_out = 1


@kernel
def lose_weapon(s, m: int, slot: int) -> int:
    """Take a weapon slot from a model; return its loaded shots. A second weapon becomes the first."""
    load = int(s.shots[m, slot])
    if slot == 0:
        s.weapon[m, 0] = s.weapon[m, 1]
        s.shots[m, 0] = s.shots[m, 1]
    s.weapon[m, 1] = -1
    s.shots[m, 1] = 0
    return load


@kernel
def lose(s, m: int, item: int) -> int:
    """Take an item from a model; return its load (a weapon's shots, a Servo Skull's uses)."""
    if item < st.FIRST_CHARGE:
        return lose_weapon(s, m, 0 if s.weapon[m, 0] == item else 1)
    if item < st.FIRST_TOOL:
        s.ammo[m, item - st.FIRST_CHARGE] = int(s.ammo[m, item - st.FIRST_CHARGE]) - 1
        return 0
    if item == st.BEACON:
        return 0
    s.tools[m, item - st.FIRST_TOOL] = int(s.tools[m, item - st.FIRST_TOOL]) - 1
    if item == st.SCANNER and s.tools[m, item - st.FIRST_TOOL] == 0:
        s.scanner[m] = st.SCANNER_OFF  # MAZE-111
    if item == st.SKULL:
        load = int(s.skull[m])
        s.skull[m] = 0
        return load
    return 0


@kernel
def put_down(s, a: int, item: int, count: int) -> None:
    """Let so many more of an item lie on a tile, or fewer."""
    s.pile[a, item] = int(s.pile[a, item]) + count
    s.loose[a] = int(s.loose[a]) + count


@kernel
def leave(s, log, m: int, a: int, item: int, load: int) -> None:
    """Put an item on a tile, or with the corpses (NO_TILE); loaded shots of a kind are pooled (MAZE-68)."""
    emit(log, st.LOG_LEFT, m, item, a)
    if a == NO_TILE:
        s.nest_pile[item] = int(s.nest_pile[item]) + 1
        if item < st.FIRST_CHARGE:
            s.nest_shots[item] = int(s.nest_shots[item]) + load
        elif item == st.SKULL:
            s.nest_skull = load
        return
    put_down(s, a, item, 1)
    if item < st.FIRST_CHARGE:
        s.pile_shots[a, item] = int(s.pile_shots[a, item]) + load
    elif item == st.SKULL:
        s.tile_skull[a] = load


@kernel
def take_up(s, t, a: int, item: int) -> int:
    """Take an item off a tile; return its load: of a weapon up to a magazine from the pool (MAZE-68)."""
    if item == st.BEACON:
        return 0
    if item == st.PENDANT and s.kind[a] == st.CHAPEL:  # MAZE-165
        s.tile_marks[a] |= st.FIXED_TAKEN
    if item == st.BLADE and s.kind[a] == st.SHRINE:  # MAZE-166
        s.tile_marks[a] |= st.FIXED_TAKEN
    load = 0
    if item < st.FIRST_CHARGE:
        load = min(int(s.pile_shots[a, item]), int(t.magazine[item]))
        s.pile_shots[a, item] = int(s.pile_shots[a, item]) - load
        if s.kind[a] == st.NEST:
            more = min(int(s.nest_shots[item]), int(t.magazine[item]) - load)
            s.nest_shots[item] = int(s.nest_shots[item]) - more
            load += more
    if s.pile[a, item] > 0:
        put_down(s, a, item, -1)
        if item == st.SKULL:
            load = int(s.tile_skull[a])
            s.tile_skull[a] = 0
    else:
        s.nest_pile[item] = int(s.nest_pile[item]) - 1
        if item == st.SKULL:
            load = int(s.nest_skull)
            s.nest_skull = 0
    return load


@kernel
def gain_or_leave(s, t, log, m: int, item: int, load: int) -> None:
    """Give a model an item, or leave it on its tile if it cannot take it (MAZE-15)."""
    if may_take(s, t, m, item):
        gain(s, t, log, m, item, load)
    else:
        leave(s, log, m, int(s.at[m]), item, load)


@kernel
def strip(s, log, m: int, a: int) -> None:
    """Leave all that a model carries on a tile, or with the corpses (NO_TILE)."""
    while s.weapon[m, 0] >= 0:
        item = int(s.weapon[m, 0])
        leave(s, log, m, a, item, lose_weapon(s, m, 0))
    for item in range(st.FIRST_CHARGE, st.BEACON):
        while held(s, m, item) > 0:
            leave(s, log, m, a, item, lose(s, m, item))
    if held(s, m, st.BEACON):  # MAZE-161
        emit(log, st.LOG_LEFT, m, st.BEACON, a)
        s.beacon_at = st.BEACON_WITH_CORPSES if a == NO_TILE else st.BEACON_ON_GROUND
        s.beacon_id = a


@kernel
def destroy_items(s, a: int) -> None:
    """Take away all that lies on a tile; the Beacon is in its room again (MAZE-53, 116, 162)."""
    for item in range(st.ITEMS):
        s.pile[a, item] = 0
    for w in range(st.WEAPONS):
        s.pile_shots[a, w] = 0
    s.loose[a] = 0
    s.tile_skull[a] = 0
    if s.beacon_at == st.BEACON_ON_GROUND and s.beacon_id == a:
        beacon_back(s)


@kernel
def beacon_back(s) -> None:
    """Put the Beacon back into its room (MAZE-162)."""
    s.beacon_at = st.BEACON_IN_ROOM
    s.beacon_id = -1


@kernel
def add_shots(s, t, m: int, slot: int, shots: int) -> None:
    """Load more shots into a weapon, up to its magazine (MAZE-15)."""
    most = int(t.magazine[int(s.weapon[m, slot])])
    s.shots[m, slot] = min(most, int(s.shots[m, slot]) + shots)
