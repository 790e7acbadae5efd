"""The board as text: one inch is two columns and one row, so that no two bases share a cell."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.macragge import names
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.draw import (
    BEACON_REACH,
    FIELD_REACH,
    PLANNING,
    RENDEZVOUS_REACH,
    caption,
    models_in_cover,
)

WIDTH = 99
"""Widest line, in columns."""
CELLS = 48
GRID = 6
MINE_LETTERS = "eap"
MODEL_SYMBOLS = (
    "V ",
    "O ",
    "F ",
    *(f"B{k}" for k in range(1, 4)),
    "ML",
    *(f"B{k}" for k in range(4, 8)),
    *(f"G{k}" for k in range(1, 7)),
    *(f"T{k % 10}" for k in range(1, 11)),
)
WRECK, EXIT, NODE, FIELD, RENDEZVOUS, BEACON = "##", "::", "@@", "~~", "::", "()"


def model_symbol(slot: int, mine_type: int = 0) -> str:
    """Return the two characters of a model: a letter and its number (``"B1"``, ``"e3"``)."""
    if slot >= st.FIRST_MINE:
        return f"{MINE_LETTERS[mine_type]}{slot - st.FIRST_MINE + 1}"
    return MODEL_SYMBOLS[slot]


class _Grid:
    """48 by 48 cells of two characters."""

    def __init__(self) -> None:
        self.cells = [["  "] * CELLS for _ in range(CELLS)]
        for row in range(0, CELLS, GRID):
            for column in range(0, CELLS, GRID):
                self.cells[row][column] = ". "

    def put(self, x: int, y: int, symbol: str) -> None:
        self.cells[min(y // 2, CELLS - 1)][min(x // 2, CELLS - 1)] = symbol

    def fill(self, symbol: str, inside: Any) -> None:
        """Fill the cells whose middle (x, y), in steps, is inside."""
        for row in range(CELLS):
            for column in range(CELLS):
                if inside(2 * column + 1, 2 * row + 1):
                    self.cells[row][column] = symbol

    def disc(self, symbol: str, x: int, y: int, radius: int) -> None:
        self.fill(symbol, lambda cx, cy: (cx - x) ** 2 + (cy - y) ** 2 <= radius * radius)

    def lines(self) -> list[str]:
        lines = []
        for row in reversed(range(CELLS)):
            number = f"{2 * row:2d}" if row % GRID == 0 else "  "
            lines.append(f"{number}|{''.join(self.cells[row])}".rstrip())
        numbers = "".join(f"{2 * column:<{2 * GRID}d}" for column in range(0, CELLS, GRID))
        return [*lines, "  +" + "-" * (2 * CELLS), "   " + numbers.rstrip()]


def _pieces(s: Any, grid: _Grid, legend: list[str]) -> None:
    west, south, east, north = (int(value) for value in s["exit_rect"])
    if east > west:
        grid.fill(EXIT, lambda x, y: west <= x <= east and south <= y <= north)
        legend.append(f"{EXIT} exit zone")
    x, y, present = (int(value) for value in s["rendezvous"])
    if present:
        grid.disc(RENDEZVOUS, x, y, RENDEZVOUS_REACH)
        legend.append(f"{RENDEZVOUS} rendezvous")
    pieces = s["pieces"]
    beacon = pieces[st.PIECE_BEACON]
    if int(beacon["kind"]) == st.PIECE_LOCATOR_BEACON:
        grid.disc(RENDEZVOUS, int(beacon["x"]), int(beacon["y"]), BEACON_REACH)
        legend.append(f"{RENDEZVOUS} boarding circle")
    if s["field"]:
        cx, cy = int(pieces[1]["x"]), int(pieces[1]["y"])
        grid.fill(FIELD, lambda x, y: abs(x - cx) <= FIELD_REACH and abs(y - cy) <= FIELD_REACH)
        legend.append(f"{FIELD} power field")
    shown = [k for k in range(st.PIECES) if int(pieces[k]["kind"]) != st.PIECE_NONE]
    for k in shown:
        p = pieces[k]
        x, y, kind = int(p["x"]), int(p["y"]), int(p["kind"])
        symbol = names.PIECES[k].split()[-1]
        if kind == st.PIECE_WRECK:
            grid.disc(WRECK, x, y, int(p["r"]))
        elif kind == st.PIECE_HIVE_NODE:
            grid.disc(NODE, x, y, int(p["r"]))
            symbol = NODE
        elif kind == st.PIECE_LOCATOR_BEACON:
            symbol = BEACON
        grid.put(x, y, symbol)
    kinds = {int(pieces[k]["kind"]) for k in shown}
    flags = {int(pieces[k]["marks"]) for k in shown if int(pieces[k]["kind"]) == st.PIECE_WRECK}
    known = ((st.PIECE_COCKPIT, "W0 cockpit"), (st.PIECE_CORE, "W1 core piece"))
    special = [words for flag, words in known if flag in flags]
    if st.PIECE_WRECK in kinds:
        legend.append(f"{WRECK} wreck" + (f" ({', '.join(special)})" if special else ""))
    for kind, words in (
        (st.PIECE_MARKER, "K0.. infestation marker"),
        (st.PIECE_HIVE_NODE, f"{NODE} hive node, {int(pieces[st.PIECE_NODE]['hp'])} of 4 wounds left"),
        (st.PIECE_PROJECTOR, "P0.. projector"),
        (st.PIECE_LOCATOR_BEACON, f"{BEACON} beacon"),
    ):
        if kind in kinds:
            legend.append(words)


def _models(s: Any, grid: _Grid, legend: list[str]) -> None:
    models = s["models"]
    shown = [int(slot) for slot in np.flatnonzero(models["status"] == st.STATUS_TABLE)]
    phase, unit, model = int(s["phase"]), int(s["unit"]), int(s["model"])
    planned = False
    for slot in shown:
        m = models[slot]
        cell = (int(m["plan_x"]), int(m["plan_y"]))
        if phase in PLANNING and int(m["group"]) == unit and cell != (int(m["x"]), int(m["y"])):
            grid.put(*cell, model_symbol(slot).lower())
            planned = True
    for slot in shown:
        m = models[slot]
        grid.put(int(m["x"]), int(m["y"]), model_symbol(slot, int(m["mine_type"])))
    for slots, words in (
        (range(1), "V Varras"),
        (range(1, 2), "O Octavian"),
        (range(2, 3), "F flamer"),
        ((3, 4, 5, 7, 8, 9, 10), "B bolter"),
        (range(6, 7), "ML missile launcher"),
        (range(st.FIRST_GENESTEALER, st.LAST_GENESTEALER + 1), "G Genestealer"),
        (range(st.FIRST_TERMAGANT, st.LAST_TERMAGANT + 1), "T Termagant"),
    ):
        if any(slot in slots for slot in shown):
            legend.append(words)
    types = {int(models[slot]["mine_type"]) for slot in shown if slot >= st.FIRST_MINE}
    legend += [f"{MINE_LETTERS[k]}1.. {names.MINE_TYPES[k]} spore mine" for k in sorted(types)]
    if planned:
        legend.append("small letters: planned cells")
    covered = [model_symbol(slot).strip() for slot in models_in_cover(s)]
    if covered:
        legend.append(f"in cover: {' '.join(covered)}")
    carriers = (("core_carrier", "the fusion core"), ("varras_carrier", "Varras"))
    for column, what in carriers:
        if int(s[column]) in shown:
            legend.append(f"{names.MODELS[int(s[column])]} carries {what}")
    if phase != st.OVER and model in shown:
        legend.append(f"in hand: {names.MODELS[model]}")
    elif phase != st.OVER and unit >= 0:
        legend.append(f"in hand: {names.GROUPS[unit]}")


def text_board(states: NDArray[np.void], i: int, seat: int | None = None) -> str:
    """Return the board as text.

    Args:
        states: Array of state records.
        i: Which of them.
        seat: Who looks; in this game both seats see everything.

    Returns:
        Lines of at most 99 characters: the turn and the question, the table with north at the top (numbers
        along the edges count half inches), and a legend of what is there.
    """
    s = states[i]
    grid = _Grid()
    legend: list[str] = []
    _pieces(s, grid, legend)
    _models(s, grid, legend)
    # Keep an entry of the legend on one line.
    words = "   ".join(entry.replace(" ", "\0") for entry in legend)
    explained = textwrap.wrap(words, WIDTH, break_on_hyphens=False)
    return "\n".join(
        [
            *textwrap.wrap(caption(states, i), WIDTH),
            *grid.lines(),
            *(line.replace("\0", " ") for line in explained),
        ]
    )
