"""What makes a record a possible position: every breach as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.dice import QUEUE_SIZE
from broodmind.envs.core.record import MOST_TURNS, as_states
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import DX, DY
from broodmind.envs.maze.tables import tables

_SIDES = 15
MANY = 10_000
GAME_BOUNDS = {
    "shuffled": (0, 1),
    "floors": (0, MOST_TURNS),
    "step": (0, len(st.STEPS) - 1),
    "phase": (0, len(st.PHASES) - 1),
    "sel": (-1, st.MODELS - 1),
    "cur": (-1, st.MODELS - 1),
    "moves": (0, MANY),
    "reveal": (0, st.EVERYBODY),
    "h_state": (0, st.SLAIN),
    "h_tile": (-1, st.TILES - 1),
    "h_from": (-1, st.TILES - 1),
    "h_wounds": (0, 30),
    "ch_tile": (-1, st.TILES - 1),
    "ch_d1": (-1, 3),
    "ch_d2": (-1, st.NO_DIRECTION),
    "ch_wounds": (0, 30),
    "ch_fired": (0, st.MODELS),
    "ch_todo": (0, st.EVERYBODY),
    "ch_roll": (0, 2),
    "ch_pushed": (0, st.EVERYBODY),
    "lights": (0, 1),
    "generator": (0, 1),
    "early": (0, st.MODELS),
    "pulse": (0, st.MODELS),
    "extra_draw": (0, 3),
    "ceramite_next": (0, 1),
    "beacon_at": (0, 3),
    "beacon_id": (-1, st.TILES - 1),
    "beacon_out": (0, 1),
    "corpse_scion": (0, st.SCIONS),
    "corpse_marine": (0, st.MODELS - st.SCIONS),
    "nest_pile": (0, MANY),
    "nest_shots": (0, MANY),
    "nest_skull": (0, st.SKULL_USES),
    "ev_n": (0, st.MODELS),
    "ev_i": (0, st.MODELS),
    "ev_group": (0, st.EVERYBODY),
    "ev_tile": (-1, st.TILES - 1),
    "ev_kind": (-1, st.EVENTS - 1),
    "ev_redrawn": (0, 1),
    "find_group": (0, st.EVERYBODY),
    "find_tile": (-1, st.TILES - 1),
    "find_weapon": (-1, st.WEAPONS - 1),
    "find_ammo": (-1, st.CHARGES - 1),
    "find_n": (0, 9),
    "find_tool": (-1, st.BEACON - 1),
    "in_hand": (-1, st.BEACON),
    "cand_n": (0, 3),
    "cand_tile": (-1, st.TILES - 1),
    "cand_open": (0, _SIDES),
    "cand_door": (0, _SIDES),
    "cand_at": (-1, st.TILES - 1),
    "cand_dir": (0, 3),
    "regroup": (0, 1),
    "reach": (0, 0),
    "order": (0, 0),
    "keep": (0, 0),
}
TILE_BOUNDS = {
    "x": (-MANY, MANY),
    "y": (-MANY, MANY),
    "floor": (0, MOST_TURNS),
    "open": (0, _SIDES),
    "door": (0, _SIDES),
    "ceramite": (0, _SIDES),
    "tile_marks": (0, 2 * st.WARD_USED - 1),
    "lit": (0, 2),
    "mine": (0, _SIDES),
    "armed": (0, _SIDES),
    "melta": (0, 31),
    "mourned": (0, st.EVERYBODY),
    "tile_skull": (0, st.SKULL_USES),
    "pile": (0, 1000),
    "pile_shots": (0, MANY),
    "state": (0, st.ABSENT),
}
MODEL_BOUNDS = {
    "status": (0, st.DEAD),
    "at": (-1, st.TILES - 1),
    "fall_x": (-MANY, MANY),
    "fall_y": (-MANY, MANY),
    "acts": (0, 2),
    "acted": (0, 30),
    "lost": (0, 1),
    "injury": (0, 63),
    "weapon": (-1, st.WEAPONS - 1),
    "shots": (0, 30),
    "ammo": (0, 9),
    "tools": (0, 9),
    "skull": (0, st.SKULL_USES),
    "scanner": (0, len(st.SCANNER_MODES) - 1),
    "crux": (0, 1),
    "mourn": (0, 1),
    "no_fire": (0, 1),
    "heading": (-1, 3),
    "start": (-1, st.TILES - 1),
    "move_seq": (0, MANY),
    "firsts": (0, 15),
    "model_marks": (0, 15),
    "halluc": (0, MOST_TURNS + 1),
    "delir": (0, MOST_TURNS),
    "suicid": (0, MOST_TURNS),
    "pendant": (0, MOST_TURNS),
    "wounds": (0, 9),
    "morale": (0, 30),
}
BOUNDS = {**GAME_BOUNDS, **TILE_BOUNDS, **MODEL_BOUNDS}
"""Lowest and highest number of each field."""

STEPS_OF_PHASE = {
    st.IMP_SELECT: (st.STEP_ACTIONS,),
    st.IMP_ACT: (st.STEP_ACTIONS,),
    st.IMP_SWAP: (st.STEP_ACTIONS,),
    st.IMP_TRANSFER: (st.STEP_ACTIONS,),
    st.IMP_MEDKIT2: (st.STEP_ACTIONS,),
    st.TILE_CHOICE: (st.STEP_ACTIONS, st.STEP_LOOK),
    st.BEACON_PICK: (st.STEP_BEACON,),
    st.FIND: (st.STEP_ARMOURY, st.STEP_EVENT),
    st.EVENT_REDRAW: (st.STEP_EVENT_EFFECT,),
    st.CRUX: (st.STEP_SPIKE, st.STEP_SAVES, st.STEP_SECOND_SAVES),
    st.MORTAL: (st.STEP_SAVES, st.STEP_SECOND_SAVES),
    st.FRAG_CHARGE: (st.STEP_FRAG_CHARGE,),
    st.OVERWATCH: (st.STEP_OVERWATCH,),
    st.PUSH: (st.STEP_PUSH,),
    st.FRAG_RETREAT: (st.STEP_FRAG_RETREAT,),
    st.H_ACT: (st.STEP_HORROR,),
    st.H_ASSAULT: (st.STEP_ASSAULT,),
}
"""Where the turn stands when a decision is asked for."""
SELECTED = (st.IMP_ACT, st.IMP_SWAP, st.IMP_TRANSFER, st.IMP_MEDKIT2)
IN_QUESTION = (st.CRUX, st.MORTAL, st.OVERWATCH)
IN_CHARGE = (st.MORTAL, st.FRAG_CHARGE, st.OVERWATCH, st.PUSH, st.FRAG_RETREAT)


def _out_of_bounds(s: Any) -> Iterator[str]:
    core = s["core"]
    if not 1 <= int(core["mission"]) <= st.MISSIONS:
        yield f"core mission is {int(core['mission'])}; expected 1..{st.MISSIONS}"
        return
    if not 0 <= core["queue_head"] <= core["queue_length"] <= QUEUE_SIZE:
        yield "the dice queue has no possible length"
    if not 1 <= core["turn"] <= MOST_TURNS:
        yield f"turn is {int(core['turn'])}; expected 1..{MOST_TURNS}"
    if int(core["seat"]) not in (0, 1):
        yield f"core seat is {int(core['seat'])}; expected 0 or 1"
    for name, (low, high) in BOUNDS.items():
        values = np.asarray(s[name])
        if values.min() < low or values.max() > high:
            yield f"{name} holds {int(values.min())}..{int(values.max())}; expected {low}..{high}"


def _tile_problems(s: Any) -> Iterator[str]:
    t = tables()[0]
    deck = t["deck"][int(s["core"]["mission"])]
    kinds = np.repeat(np.arange(st.KINDS), deck)
    n = len(kinds)
    if int(s["n_tiles"]) != n or not np.array_equal(s["kind"][:n], kinds) or s["kind"][n:].any():
        yield f"the tiles are not those of the deck {st.DECK_IDS[int(s['core']['mission']) - 1]}"
        return
    if (s["state"][n:] != st.ABSENT).any() or (s["state"][:n] == st.ABSENT).any():
        yield "a tile of the deck is absent, or one is there that does not belong to it"
        return
    cells: dict[tuple[int, int, int], int] = {}
    for a in range(n):
        name = f"tile {a} ({st.KIND_IDS[kinds[a]]})"
        if s["state"][a] != st.ON_BOARD:
            fields = (
                "x",
                "y",
                "floor",
                "open",
                "door",
                "ceramite",
                "lit",
                "mine",
                "melta",
                "mourned",
                "pile",
            )
            if any(np.any(s[field][a]) for field in fields) or s["tile_marks"][a] & ~st.GAME_LONG:
                yield f"{name} is not on the board, but something is on it"
            continue
        cell = (int(s["x"][a]), int(s["y"][a]), int(s["floor"][a]))
        if cell in cells:
            yield f"{name} lies on tile {cells[cell]}"
        cells[cell] = a
        if cell[2] > s["floors"]:
            yield f"{name} is on floor {cell[2]}, and there are {int(s['floors'])}"
        sides = bin(int(s["open"][a])).count("1")
        if sides != st.CORRIDORS[int(t["form"][kinds[a]])]:
            yield f"{name} has {sides} corridors; expected {st.CORRIDORS[int(t['form'][kinds[a]])]}"
        if s["door"][a] & ~s["open"][a] or s["ceramite"][a] & ~s["door"][a]:
            yield f"{name} has a door without a corridor"
        if s["lit"][a][int(t["vents"][kinds[a]]) :].any():
            yield f"{name} has a lit vent that it does not have"
        if s["armed"][a] & ~s["mine"][a]:
            yield f"{name} has an armed mine that was not laid"
        if s["pile"][a, st.BEACON] or (s["pile_shots"][a] > 0)[s["pile"][a, : st.WEAPONS] == 0].any():
            yield f"{name} holds shots without a weapon, or the Beacon among its items"
    for cell, a in cells.items():
        for d in range(4):
            b = cells.get((cell[0] + DX[d], cell[1] + DY[d], cell[2]), -1)
            if s["nb"][a, d] != b:
                yield f"tile {a} has the wrong neighbour {st.DIRECTIONS[d]}"
            mined = int(s["mine"][a]) >> d & 1
            if mined and (b < 0 or not int(s["mine"][b]) >> (d ^ 2) & 1):
                yield f"tile {a} has a mine {st.DIRECTIONS[d]} that the tile beyond does not have"


def _model_problems(s: Any) -> Iterator[str]:
    t = tables()[0]
    h_here = int(s["h_tile"]) if s["h_state"] == st.PROWLING else -1
    for m, name in enumerate(st.MODEL_IDS):
        alive = s["status"][m] <= st.FALLEN
        if alive != (s["wounds"][m] > 0):
            yield f"{name} has {int(s['wounds'][m])} wounds and is {st.STATUSES[int(s['status'][m])]}"
        if s["wounds"][m] > t["wounds"][m] or s["morale"][m] > t["morale"][m]:
            yield f"{name} has more wounds or Morale Points than its profile"
        a = int(s["at"][m])
        if s["status"][m] == st.BOARD:
            if a < 0 or s["state"][a] != st.ON_BOARD:
                yield f"{name} stands on no tile of the board"
            elif s["kind"][a] == st.PIT or s["tile_marks"][a] & (st.IS_PIT | st.CAVED):
                yield f"{name} stands on a Pit or a cave-in"
            elif a == h_here and s["step"] not in (st.STEP_SAVES, st.STEP_PUSH, st.STEP_SECOND_SAVES):
                yield f"{name} stands on the Horror's tile"
        if s["weapon"][m, 0] < 0 <= s["weapon"][m, 1]:
            yield f"{name} has a second weapon without a first"
        for slot in range(st.SLOTS):
            w = int(s["weapon"][m, slot])
            if w >= 0 and not t["may_carry"][m, w]:
                yield f"{name} may not carry a {st.ITEM_IDS[w]}"
            if s["shots"][m, slot] > (t["magazine"][w] if w >= 0 else 0):
                yield f"{name} has {int(s['shots'][m, slot])} shots in weapon {slot + 1}; its magazine is smaller"
        tools = s["tools"][m]
        if (tools[t["may_carry"][m, st.FIRST_TOOL : st.BEACON] == 0] > 0).any():
            yield f"{name} carries a tool that it may not carry"
        held = (int((s["weapon"][m] >= 0).sum()), int(s["ammo"][m].sum()), int(tools.sum()))
        for number, most, word in zip(held, t["capacity"][m], ("weapons", "charges", "tools"), strict=True):
            if number > most:
                yield f"{name} carries {number} {word}; expected {int(most)} at most"
        if (tools[st.SKULL - st.FIRST_TOOL] > 0) != (s["skull"][m] > 0) or tools[
            st.SKULL - st.FIRST_TOOL
        ] > 1:
            yield f"{name} has a Servo Skull without uses, or uses without one"
        if s["scanner"][m] and not tools[st.SCANNER - st.FIRST_TOOL]:
            yield f"{name} has a scanner on, but none"
    if not (s["status"] <= st.FALLEN).any() and not s["core"]["over"]:
        yield "no explorer is left, but the game is not over"


def _game_problems(s: Any) -> Iterator[str]:
    t = tables()[0]
    on_board = s["h_state"] == st.PROWLING
    if on_board != (s["h_tile"] >= 0) or (on_board and s["state"][int(s["h_tile"])] != st.ON_BOARD):
        yield "the Horror's tile does not fit where it is"
    if s["h_wounds"] > t["horror_wounds"] or (s["h_wounds"] == 0) != (s["h_state"] == st.SLAIN):
        yield f"the Horror has {int(s['h_wounds'])} wounds and is {st.HORROR_STATES[int(s['h_state'])]}"
    where, who = int(s["beacon_at"]), int(s["beacon_id"])
    if where == st.BEACON_CARRIED and not (0 <= who < st.MODELS and s["status"][who] <= st.FALLEN):
        yield "the Beacon is carried by nobody"
    if where == st.BEACON_ON_GROUND and not (who >= 0 and s["state"][who] == st.ON_BOARD):
        yield "the Beacon lies on no tile of the board"
    if (s["nest_shots"] > 0)[s["nest_pile"][: st.WEAPONS] == 0].any() or s["nest_pile"][st.BEACON]:
        yield "shots lie with the corpses without a weapon, or the Beacon among their items"


def _phase_problems(s: Any) -> Iterator[str]:
    phase, step = int(s["phase"]), int(s["step"])
    name = st.PHASES[phase]
    if (phase == st.OVER) != (int(s["core"]["over"]) == 1):
        yield f"phase {name} does not fit whether the game is over"
        return
    if phase == st.OVER:
        return
    if step not in STEPS_OF_PHASE[phase]:
        yield f"{name} is not asked in the step {st.STEPS[step]!r}"
    seat = st.HORROR if phase >= st.H_ACT else st.IMPERIALS
    if s["core"]["seat"] != seat:
        yield f"{name} is not the decision of seat {int(s['core']['seat'])}"
    for phases, field in ((SELECTED, "sel"), (IN_QUESTION, "cur")):
        if phase in phases and (s[field] < 0 or s["status"][int(s[field])] != st.BOARD):
            yield f"{name} needs {field} on the board"
    if (phase in (st.IMP_SWAP, st.IMP_TRANSFER)) != (s["in_hand"] >= 0):
        yield f"{name} does not fit what is in hand"
    in_charge = phase in IN_CHARGE or (phase == st.CRUX and step != st.STEP_SPIKE)
    if in_charge and (
        s["ch_tile"] < 0
        or s["state"][int(s["ch_tile"])] != st.ON_BOARD
        or s["ch_d1"] < 0
        or s["ch_d2"] < 0
        or s["h_state"] != st.PROWLING
        or (s["h_from"] < 0 and step > st.STEP_CHARGE)
    ):
        yield f"{name} needs a charge under way"
    if in_charge and step > st.STEP_CHARGE and step != st.STEP_FRAG_RETREAT and s["h_tile"] != s["ch_tile"]:
        yield "the Horror has charged home, but stands elsewhere"
    if not in_charge and s["ch_tile"] >= 0:
        yield f"a charge is under way at {name}"
    if phase == st.TILE_CHOICE:
        tiles = [int(a) for a in s["cand_tile"][: int(s["cand_n"])]]
        wrong = any(a < 0 or s["state"][a] != st.ASIDE for a in tiles) or len(set(tiles)) != len(tiles)
        at = int(s["cand_at"])
        if wrong or len(tiles) < 2 or at < 0 or s["state"][at] != st.ON_BOARD or not s["reveal"]:
            yield "TILE_CHOICE needs candidates and a dark end"
        elif s["nb"][at, int(s["cand_dir"])] >= 0:
            yield "TILE_CHOICE needs an empty cell beyond the dark end"
    elif s["cand_n"] or (s["state"] == st.ASIDE).any() or s["reveal"]:
        yield f"tiles are set aside at {name}"
    if (phase == st.FIND) != (s["find_group"] > 0):
        yield f"{name} does not fit what was found"
    if phase == st.FIND:
        nothing = s["find_weapon"] < 0 and s["find_n"] == 0 and s["find_tool"] < 0
        tool = int(s["find_tool"])
        if nothing or s["find_tile"] < 0 or s["state"][int(s["find_tile"])] != st.ON_BOARD:
            yield "FIND needs something found on a tile"
        if (s["find_n"] > 0 and s["find_ammo"] < 0) or 0 <= tool < st.FIRST_TOOL:
            yield "FIND has charges of no kind, or a tool that is none"
    if step in (st.STEP_EVENT, st.STEP_EVENT_ROLL, st.STEP_EVENT_EFFECT):
        if s["ev_i"] > s["ev_n"] or (s["ev_i"] == s["ev_n"] and step != st.STEP_EVENT):
            yield "an event is under way for no group"
        elif step == st.STEP_EVENT_EFFECT:
            here = sum(1 << m for m in range(st.MODELS) if s["status"][m] == st.BOARD)
            if s["ev_kind"] < 0 or s["ev_tile"] < 0 or not s["ev_group"][int(s["ev_i"])] & here:
                yield "an event is under way without a tile, a kind or a group"
            elif s["state"][int(s["ev_tile"])] != st.ON_BOARD:
                yield "an event is under way on a tile that is not on the board"


def _derived_problems(states: NDArray[np.void], i: int) -> Iterator[str]:
    from broodmind.envs.maze.kernel import derive_one

    s = np.asarray(states)[i]
    twin = as_states(np.asarray(states)[i : i + 1].copy())
    derive_one(twin, 0, tables())
    other = np.asarray(twin)[0]
    if (s["group"] != other["group"]).any():
        yield "the groups are not those of the models on the board"
    if s["h_bound"] != other["h_bound"]:
        yield "whether the Horror must go home does not follow from the position"
    if (s["loose"] != s["pile"].sum(axis=1)).any():
        yield "a tile has another number of items than lie on it"


def problems(states: NDArray[np.void], i: int, derived: bool = True) -> list[str]:
    """Return every way in which a record is not a possible position (empty: none).

    Args:
        states: Array of state records.
        i: Which of them.
        derived: Whether what follows from the rest is checked, too.
    """
    s = np.asarray(states)[i]
    found = list(_out_of_bounds(s))
    if not found:
        found = list(_tile_problems(s))
    if not found:
        for check in (_model_problems, _game_problems, _phase_problems):
            found += check(s)
        if derived:
            found += _derived_problems(states, i)
    return found
