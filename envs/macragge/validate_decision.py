"""What makes the decision at hand impossible: what is in hand, plans, suspended sequences, cells in reach."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from broodmind.envs.macragge import names
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.possible import (
    FRAME_NUMBERS,
    FRAMES_OF_MISSION,
    INTERRUPTS,
    MOVE_PHASES,
    PHASES_OF_MISSION,
    PLAIN_MISSIONS,
    PLAN_PHASES,
    SEAT_OF_PHASE,
    SUSPENDING,
    UNIT_PHASES,
    Position,
    named,
    phase_named,
)


def decision(p: Position) -> Iterator[str]:
    """Check that what is in hand fits the decision."""
    phase = p.phase
    if not st.CORE_CARRIER <= phase <= st.OVER:
        yield f"phase is {phase}; expected one of 0..{st.OVER}"
        return
    name = phase_named(phase)
    if p.active not in (0, 1):
        yield f"active is {p.active}; expected 0 or 1"
    if not 0 <= p.value("step") < len(st.STEP_NAMES):
        yield f"step is {p.value('step')}; expected 0..{len(st.STEP_NAMES) - 1}"
    if phase == st.OVER:
        return
    if phase not in PHASES_OF_MISSION.get(p.mission, set()):
        yield f"{named(names.MISSIONS, p.mission - 1)} has no decision {name}"
    if phase != st.STRIKE and p.seat != SEAT_OF_PHASE.get(phase, p.active):
        yield f"{name} is not a decision of seat {p.seat} now"
    if phase in SEAT_OF_PHASE and phase not in INTERRUPTS and p.active != SEAT_OF_PHASE[phase]:
        yield f"{name} does not come up in this player's turn"
    unit = p.value("unit")
    if phase in UNIT_PHASES:
        if not 0 <= unit < st.UNITS or not p.unit_models(unit):
            yield f"{name} needs a unit in hand with a model on the table; it is {named(names.GROUPS, unit)}"
        elif (unit <= st.GROUP_ATREUS) != (p.active == st.ULTRAMARINES):
            yield f"{name}: {names.GROUPS[unit]} is not the active player's"
    model = p.value("model")
    if phase == st.MOVE_CELL and (model not in p.on_table or p.model(model, "group") != unit):
        yield f"{name} needs a model in hand of the unit in hand; it is {named(names.MODELS, model)}"
    if phase == st.MINE_DIR and (model not in p.on_table or model < st.FIRST_MINE):
        yield f"{name} needs a mine in hand; it is {named(names.MODELS, model)}"
    if (
        phase == st.SPAWN
        and p.mission in PLAIN_MISSIONS
        and set(range(st.FIRST_MINE, st.MODELS)) <= set(p.on_table)
    ):
        yield f"{name} needs a mine out of play; all are on the table (MAC-B53)"
    squad, wounds = p.value("squad"), p.value("wounds")
    if phase == st.CASUALTY:
        marines = [slot for slot in p.unit_models(squad) if slot != st.VARRAS]
        if squad not in (st.GROUP_OCTAVIAN, st.GROUP_ATREUS) or not marines:
            yield f"{name} needs a squad with a living Space Marine; it is {named(names.GROUPS, squad)}"
        if wounds < 1:
            yield f"{name} needs wounds to allot; there are {wounds} (MAC-B35)"
        count = p.value("frame_count")
        top = p.record["frames"][count - 1] if 0 < count <= len(p.record["frames"]) else None
        asked = (st.FRAME_CASUALTIES, squad, wounds)
        if top is None or (int(top["op"]), int(top["a"]), int(top["b"])) != asked:
            yield f"{name} needs the frame casualties of this squad and these wounds on top of the stack"
    yield from _plan(p, unit)


def _plan(p: Position, unit: int) -> Iterator[str]:
    count = p.value("mover_count")
    if not 0 <= count <= st.MAX_UNIT or (count and p.phase not in UNIT_PHASES):
        yield f"mover_count is {count}; expected 0..{st.MAX_UNIT}, and 0 without a unit in hand"
        return
    slots = [int(slot) for slot in p.record["movers"]]
    if any(not 0 <= slot < st.MODELS for slot in slots) or any(slots[count:]):
        yield f"movers are {slots}; expected {count} model slots and then zeros"
        return
    if p.phase not in (*PLAN_PHASES, st.MOVE_PLAN):
        return
    movers = [int(slot) for slot in p.record["movers"][:count]]
    if movers != p.unit_models(unit):
        listed = ", ".join(named(names.MODELS, slot) for slot in movers)
        yield f"movers are {listed or 'none'}; expected the models of {named(names.GROUPS, unit)} by slot"
        return
    if p.phase not in PLAN_PHASES:
        return
    for k, slot in enumerate(movers):
        x, y = p.model(slot, "plan_x"), p.model(slot, "plan_y")
        if not (1 <= x <= 95 and 1 <= y <= 95):
            yield f"the plan puts {names.MODELS[slot]} off the table, at ({x}, {y}) (MAC-B1)"
        for other in p.on_table:
            if other in movers[: k + 1]:
                continue
            column = "plan_" if other in movers else ""
            d2 = (x - p.model(other, column + "x")) ** 2 + (y - p.model(other, column + "y")) ** 2
            if d2 < 4:
                yield f"the plan puts {names.MODELS[slot]} onto {names.MODELS[other]} (d2 {d2} < 4, MAC-B25)"


def sequences(p: Position) -> Iterator[str]:
    """Check what is suspended while a decision is asked for: the frames, and the mines about to detonate."""
    frames = [tuple(int(number) for number in frame) for frame in p.record["frames"]]
    count = p.value("frame_count")
    if not 0 <= count <= len(frames):
        yield f"frame_count is {count}; expected 0..{len(frames)}"
        return
    if any(any(frame) for frame in frames[count:]):
        yield f"frame_count is {count}, but there are frames after these; they must be zero"
    if count and p.phase not in SUSPENDING:
        yield f"frames are suspended, but {phase_named(p.phase)} interrupts nothing"
    known = FRAMES_OF_MISSION.get(p.mission, set())
    for k, (op, a, b, c) in enumerate(frames[:count]):
        if op not in known:
            yield f"frames[{k}] is of kind {op}; this mission knows {', '.join(map(str, sorted(known)))}"
        elif any(not low <= n <= high for n, (low, high) in zip((a, b, c), FRAME_NUMBERS[op], strict=True)):
            expected = ", ".join(f"{low}..{high}" for low, high in FRAME_NUMBERS[op])
            yield f"frames[{k}], of kind {op}, has the numbers {a, b, c}; expected {expected}"
    under_way = [frame[0] for frame in frames[:count]].count(st.FRAME_DETONATIONS)
    if under_way > 1:
        yield "there are two frames of detonations; one queue is worked off by one"
    head, tail = p.value("detonation_head"), p.value("detonation_tail")
    if not 0 <= head <= tail <= 8:
        yield f"the detonation queue is read from {head} to {tail}; expected 0 <= head <= tail <= 8"
        return
    queue = [int(slot) for slot in p.record["detonations"]]
    if (tail and not under_way) or any(queue[tail:]):
        yield "the detonation queue holds mines that no frame of detonations works off (MAC-B52)"
    if len(set(queue[:tail])) < tail or any(not st.FIRST_MINE <= slot < st.MODELS for slot in queue[:tail]):
        yield "the detonation queue must hold mines, each once (MAC-B52)"
        return
    marked = {slot for slot in range(st.MODELS) if p.model(slot, "marks") & st.FLAG_QUEUED}
    if marked != set(queue[head:tail]) or not marked <= set(p.on_table):
        yield "the mines marked as queued must be those of the detonation queue, on the table (MAC-B52)"


def cells_in_reach(p: Position) -> Iterator[str]:
    """Check that the cells of the unit in hand are what the rules say; every other check must have passed."""
    retreating = p.mission == st.XENO_TIDE and p.active == st.ULTRAMARINES
    if p.phase in (st.RETREAT, st.ASSAULT_CELL, st.OVER) or (retreating and p.phase in MOVE_PHASES):
        yield from _loose_cells(p, retreating)
        return
    if p.phase not in (*PLAN_PHASES, st.MOVE_PLAN):
        if np.any(p.record["cells"]):
            yield "cells are given, but no unit is in hand to be moved"
        return
    from broodmind.envs.core.record import as_states
    from broodmind.envs.macragge.rules.moving import fill_unit_cells
    from broodmind.envs.macragge.tables import tables

    fresh = as_states(np.array([p.record], st.STATE))
    fresh["cells"] = 0
    fill_unit_cells(fresh[0], tables()[0])
    cells = np.asarray(fresh)["cells"][0]
    if not np.array_equal(cells, p.record["cells"]):
        yield "cells are not those that the models in hand can reach; leave them out to have them worked out (MAC-B22)"
    movers = p.record["movers"][: p.value("mover_count")] if p.phase in PLAN_PHASES else ()
    for k, slot in enumerate(int(slot) for slot in movers):
        way = (p.model(slot, "plan_x") - p.model(slot, "x"), p.model(slot, "plan_y") - p.model(slot, "y"))
        cell = names.DEST_OFFSETS.index(way) if way in names.DEST_OFFSETS else -1
        if cell < 0 or not (int(cells[k, cell >> 6]) >> (cell & 63)) & 1:
            yield f"the plan moves {names.MODELS[slot]} by {way}, where it cannot go (MAC-B22)"


def _loose_cells(p: Position, retreating: bool) -> Iterator[str]:
    """Check the cells of charges, which lead nowhere off the table (MAC-B1), and of retreats, which may (MAC-M4.2)."""
    for k, words in enumerate(p.record["cells"].tolist()):
        given = [c for c in range(64 * len(words)) if (words[c >> 6] >> (c & 63)) & 1]
        if not given:
            continue
        slot = int(p.record["movers"][k])
        x, y = p.model(slot, "x"), p.model(slot, "y")
        ends = [(x + dx, y + dy) for dx, dy in names.DEST_OFFSETS]
        if given[-1] >= len(ends) or (
            not retreating and any(not (1 <= ends[c][0] <= 95 and 1 <= ends[c][1] <= 95) for c in given)
        ):
            yield f"cells let {names.MODELS[slot]} leave the table (MAC-B1)"
