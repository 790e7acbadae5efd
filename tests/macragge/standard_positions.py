"""The ledger's standard positions of all six missions, as dictionaries: every kind of piece there is."""

from __future__ import annotations

import copy
from typing import Any

WRECKS_A = {
    "wreck W0": {"at": [6, 48], "marks": ["cockpit"]},
    "wreck W1": {"at": [18, 80], "marks": ["core"]},
    "wreck W2": {"at": [40, 24]},
    "wreck W3": {"at": [52, 64]},
    "wreck W4": {"at": [72, 32]},
}
MARKERS_A = {
    "marker K0": {"at": [40, 31], "hit_points": 1},
    "marker K1": {"at": [52, 57], "hit_points": 1},
    "marker K2": {"at": [72, 39], "hit_points": 1},
}
WRECKS_B = {
    "wreck W0": {"at": [44, 48]},
    "wreck W1": {"at": [60, 20]},
    "wreck W2": {"at": [68, 76]},
    "hive node": {"at": [54, 48], "hit_points": 4},
}
SQUAD = ("Octavian", "flamer", "bolter 1", "bolter 2", "bolter 3")
ATREUS = ("missile launcher", "bolter 4", "bolter 5", "bolter 6", "bolter 7")


def _at(names: Any, cells: Any, **more: Any) -> dict[str, Any]:
    return {name: {"at": list(cell), **more} for name, cell in zip(names, cells, strict=False)}


def _numbered(word: str, first: int, cells: Any, **more: Any) -> dict[str, Any]:
    return _at([f"{word} {first + k}" for k in range(len(cells))], cells, **more)


MINES_1 = [(40, 33), (52, 55), (72, 41)]
SQUAD_2 = [(86, 48), (86, 45), (86, 51), (89, 47), (89, 50)]
SQUAD_3 = [(18, 85), (23, 80), (21, 84), (15, 84), (13, 80), (21, 76)]
SQUAD_4 = [(18, 85), (23, 80), (22, 83), (22, 77), (20, 85), (20, 75)]
PROJECTORS = [(10, 72), (26, 72), (10, 88), (26, 88)]
TERMAGANTS_5 = [
    (51, 44),
    (53, 43),
    (55, 43),
    (57, 44),
    (59, 48),
    (56, 53),
    (51, 52),
    (53, 53),
    (58, 51),
    (59, 46),
]
GENESTEALERS_6 = [(51, 52), (53, 53), (55, 53), (57, 52), (59, 50), (59, 52)]
TERMAGANTS_6 = [
    (51, 44),
    (53, 43),
    (55, 43),
    (57, 44),
    (59, 46),
    (59, 48),
    (59, 44),
    (51, 42),
    (57, 42),
    (54, 41),
]

_POSITIONS: dict[int, dict[str, Any]] = {
    1: {
        "core": {"mission": "crash-site", "max_turns": 30},
        "phase": "MOVE_PLAN",
        "unit": "Varras",
        "exit_zone": [84, 36, 96, 60],
        "pieces": {**WRECKS_A, **MARKERS_A},
        "models": {"Varras": {"at": [11, 48]}, **_numbered("mine", 1, MINES_1)},
    },
    2: {
        "core": {"mission": "rescue-varras", "max_turns": 40},
        "phase": "MOVE_EDIT",
        "unit": "Squad Octavian",
        "exit_zone": [84, 36, 96, 60],
        "pieces": {**WRECKS_A, **MARKERS_A},
        "models": {
            "Varras": {"at": [16, 48]},
            **{
                name: {"at": list(cell), "plan": [cell[0] - 8, cell[1] + 4]}
                for name, cell in zip(SQUAD, SQUAD_2, strict=True)
            },
            **_numbered("mine", 1, [*MINES_1, (20, 48)]),
        },
    },
    3: {
        "core": {"mission": "fusion-core", "max_turns": 30},
        "phase": "SHOOT_SELECT",
        "fusion_core": "in wreck",
        "power_field": True,
        "pieces": {
            **WRECKS_A,
            **{f"projector P{k}": {"at": list(cell)} for k, cell in enumerate(PROJECTORS)},
        },
        "models": {
            **_at(("Varras", *SQUAD), SQUAD_3),
            **_numbered("Genestealer", 1, [(57, 62), (55, 60), (57, 65)], group="Genestealers A"),
        },
    },
    4: {
        "core": {"mission": "xeno-tide", "max_turns": 30},
        "phase": "ASSAULT_SELECT",
        "active": "tyranids",
        "fusion_core": "carried",
        "core_carrier": "bolter 1",
        "varras_carrier": "Octavian",
        "pieces": WRECKS_A,
        "models": {
            **_at(SQUAD, SQUAD_4[1:]),
            "Varras": {"status": "carried"},
            **_numbered("Genestealer", 1, [(57, 64), (56, 61), (56, 67)], group="Genestealers A"),
            **_numbered("Genestealer", 4, [(6, 43), (3, 44), (9, 44)], group="Genestealers B"),
        },
    },
    5: {
        "core": {"mission": "reinforcements", "max_turns": 40},
        "phase": "SHOOT_TARGET",
        "unit": "Squad Atreus",
        "rendezvous": [96, 48, 1],
        "pieces": WRECKS_B,
        "models": {
            **_at(ATREUS, [(1, 40), (1, 44), (1, 48), (1, 52), (1, 56)]),
            **_numbered("Termagant", 1, TERMAGANTS_5, group="Termagants A"),
        },
    },
    6: {
        "core": {"mission": "purge-the-xenos"},
        "phase": "MOVE_SELECT",
        "fusion_core": "carried",
        "core_carrier": "Varras",
        "pieces": {
            **WRECKS_B,
            "marker K0": {"at": [44, 55], "hit_points": 2},
            "marker K1": {"at": [60, 25], "hit_points": 2},
            "marker K2": {"at": [68, 71], "hit_points": 1},
            "beacon": {"at": [95, 48]},
        },
        "models": {
            **_at(("Varras", *SQUAD), [(1, 36), (1, 32), (1, 28), (1, 24), (1, 20), (1, 16)]),
            **_at(ATREUS, [(1, 62), (1, 66), (1, 70), (1, 74), (1, 78)]),
            **_numbered("Genestealer", 1, GENESTEALERS_6, group="Genestealers A"),
            **_numbered("Termagant", 1, TERMAGANTS_6, group="Termagants A"),
            "mine 1": {"at": [44, 57]},
            "mine 4": {"at": [60, 27]},
            "mine 7": {"at": [68, 69]},
        },
    },
}


def position(mission: int, **changes: Any) -> dict[str, Any]:
    """Return a fresh copy of a mission's position; `changes` replace or (None) remove outermost keys."""
    data = copy.deepcopy(_POSITIONS[mission]) | changes
    return {key: value for key, value in data.items() if value is not None}
