"""The scene: zones, points and models as shapes, as a seat may see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Event
from broodmind.envs.core.scene import Scene, Shape
from broodmind.envs.overkill import describe, names
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.tables import tables

FLOOR, BLOCK, EDGE, GONE = "#e7e1d3", "#8b8578", "#6b6558", "#3a3733"
MUSTER, EXIT, SPECIAL = "#c9d8ea", "#cfe3c4", "#efd9a8"
MARINE, CULT, LEADER, WOUND = "#22303c", "#7d4a86", "#a0306a", "#c02020"
LAID, FACE_UP, FREE = "#6a3d74", "#b98fc2", "#ffffff"
LEVEL_GAP = 60
"""Millimetres between the two levels of mission 5 in a picture."""
LETTERS = "CGYDRSAOUBN"
"""A letter for each marine, in the order of the datacards."""
TYPE_LETTERS = ("ag", "ap", "ml", "gl", "ha", "pi", "gs", "fa", "PA", "MA", "PR")


def _corners(t: Any, mission: int, z: int) -> tuple[float, float, float, float]:
    x, y, w, h = (int(v) for v in t["rect"][mission, z])
    if t["level"][mission, z]:  # the data file puts the lower mine far below, out of every range
        here = slice(0, int(t["zones"][mission]))
        lower = t["level"][mission, here] == 1
        rects = t["rect"][mission, here].astype(int)
        y -= int(rects[lower, 1].min() - (rects[~lower, 1] + rects[~lower, 3]).max()) - LEVEL_GAP
    # y grows downwards in the data files, north in a scene.
    return float(x), float(-y - h), float(x + w), float(-y)


def _floor(s: Any, t: Any, z: int) -> tuple[str, str]:
    """Return colour and meaning of a zone."""
    mission = int(s["mission"])
    if t["section"][mission, z] < s["destroyed"]:
        return GONE, "destroyed"
    for column, word in (("is_cell", "energy cell"), ("is_lift", "lift"), ("silo", "borders the silo")):
        if t[column][mission, z]:
            return SPECIAL, word
    if z == t["throne"][mission]:
        return SPECIAL, "Throne"
    if z == t["exit_zone"][mission]:
        return EXIT, "exit"
    if t["is_muster"][mission, z]:
        return MUSTER, "muster zone"
    return FLOOR, ""


def _zones(s: Any, t: Any) -> list[Shape]:
    mission = int(s["mission"])
    shapes = []
    for z in range(int(t["zones"][mission])):
        left, bottom, right, top = _corners(t, mission, z)
        colour, word = _floor(s, t, z)
        title = names.zone_names(mission)[z] + (f" ({word})" if word else "")
        in_hand = z in (int(s["sel_zone"]), int(s["target_zone"]))
        shapes.append(
            Shape(
                "rect",
                ((left, bottom), (right, top)),
                id=f"zone-{z}",
                fill=colour,
                stroke=WOUND if in_hand else EDGE,
                width=3.0 if in_hand else 1.2,
                title=title,
            )
        )
        marks = [word for k, word in enumerate(st.ZONE_MARK_NAMES) if int(s["zone_marks"][z]) >> k & 1]
        marks += ["smoke"] if z == s["smoke_zone"] else []
        marks += ["skull"] if z == s["skull_zone"] else []
        silo = int(t["silo"][mission, z])
        marks += ["krak"] if silo and int(s["krak"]) >> (silo - 1) & 1 else []
        label = " ".join([str(z), *marks])
        shapes.append(Shape("text", ((left + 3, top - 9),), text=label, size=9.0, fill=EDGE, anchor="start"))
    return shapes


def _models(s: Any, t: Any) -> list[Shape]:
    mission = int(s["mission"])
    shapes = []
    for z in range(int(t["zones"][mission])):
        left, bottom, right, top = _corners(t, mission, z)
        here = [m for m in range(st.MODELS) if s["zone"][m] == z]
        if not here:
            continue
        # As many columns as keep the discs from touching.
        columns = max(1, int((right - left - 4) // 17))
        rows = -(-len(here) // columns)
        step = min(17.0, (top - bottom - 16) / max(rows, 1))
        for k, m in enumerate(here):
            x = left + 11 + 17 * (k % columns)
            y = top - 20 - step * (k // columns)
            marine = m < st.MARINES
            kind = int(t["kind"][m]) - st.MARINES
            leader = kind >= st.PATRIARCH
            wounded = bool(s["wounds"][m])
            fill = MARINE if marine else LEADER if leader else CULT
            shapes.append(
                Shape(
                    "circle",
                    ((x, y),),
                    id=f"model-{m}",
                    radius=7.5,
                    fill=fill,
                    stroke=WOUND if wounded else "#ffffff",
                    width=2.0 if wounded else 0.8,
                    title=names.model_name(m) + (" (wounded)" if wounded else ""),
                )
            )
            letter = LETTERS[m] if marine else TYPE_LETTERS[kind]
            shapes.append(Shape("text", ((x, y),), text=letter, size=8.0, fill="#ffffff"))
    return shapes


def _points(s: Any, t: Any, seat: int | None) -> list[Shape]:
    mission = int(s["mission"])
    shapes = []
    beside: dict[int, int] = {}
    for a in range(int(t["points"][mission])):
        z = int(t["point_zone"][mission, a])
        _, bottom, right, _ = _corners(t, mission, z)
        number = beside.setdefault(z, 0)
        beside[z] += 1
        x, y = right - 9 - 20 * number, bottom + 9
        card = int(s["point_card"][a])
        face_up = bool(s["point_marks"][a] & st.TURNED_UP)
        known = card >= 0 and (face_up or seat != st.DEATHWATCH)
        title = names.point_names(mission)[a] + (f": {names.card_name(card)}" if known else "")
        corners = ((x, y + 8), (x + 8, y), (x, y - 8), (x - 8, y))
        fill = FREE if card < 0 else FACE_UP if face_up else LAID
        shapes.append(
            Shape("polygon", corners, id=f"point-{a}", fill=fill, stroke=LAID, width=1.2, title=title)
        )
        text = str(a) + ("~" if s["point_marks"][a] & st.LURKING else "")
        shapes.append(Shape("text", ((x, y),), text=text, size=7.0, fill=LAID if card < 0 else "#ffffff"))
    return shapes


def scene(states: NDArray[np.void], i: int, seat: int | None = None, events: Sequence[Event] = ()) -> Scene:
    """Return the board as shapes.

    Args:
        states: Array of records.
        i: Which of them.
        seat: Who looks: the Deathwatch does not see face-down cards; None sees everything.
        events: What to list below the board.
    """
    s = np.asarray(states)[i]
    t = tables()[0]
    mission = int(s["mission"])
    count = int(t["zones"][mission])
    boxes = [_corners(t, mission, z) for z in range(count)]
    box = (
        min(b[0] for b in boxes) - 12,
        min(b[1] for b in boxes) - 12,
        max(b[2] for b in boxes) + 12,
        max(b[3] for b in boxes) + 12,
    )
    shapes = [
        Shape("rect", ((box[0], box[1]), (box[2], box[3])), id="table", fill=BLOCK),
        *_zones(s, t),
        *_points(s, t, seat),
        *_models(s, t),
    ]
    wait = seat is not None and seat != int(s["core"]["seat"]) and not s["core"]["over"]
    ask = "The other side decides." if wait else describe.question(states, i)
    return Scene(
        box,
        shapes,
        caption=f"Mission {mission}, turn {int(s['core']['turn'])}: {ask}",
        legend=(
            (MARINE, "marine"),
            (CULT, "cult"),
            (LEADER, "leader"),
            (WOUND, "wounded (edge)"),
            (LAID, "Ambush Point with a card"),
            (MUSTER, "muster zone"),
            (EXIT, "exit"),
            (SPECIAL, "objective"),
        ),
        notes=tuple(event.sentence for event in events),
    )
