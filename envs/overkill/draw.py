"""The scene: sections, zones, points and models as shapes, as a seat may see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Event
from broodmind.envs.core.scene import Scene, Shape
from broodmind.envs.overkill import describe, names
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.geometry import Rect
from broodmind.envs.overkill.loading import load
from broodmind.envs.overkill.tables import footprints, tables

TABLE, FLOOR, BLOCK, EDGE, GONE, VOID = "#b9b4a8", "#e7e1d3", "#8b8578", "#6b6558", "#3a3733", "#1d1b26"
MUSTER, EXIT, SPECIAL = "#c9d8ea", "#cfe3c4", "#efd9a8"
MARINE, CULT, LEADER, WOUND = "#22303c", "#7d4a86", "#a0306a", "#c02020"
LAID, FACE_UP, FREE = "#6a3d74", "#b98fc2", "#ffffff"
NAME = "#b9b09d"
SKULL, HOMER, ATTACK = "#e0b000", "#3aa0ff", "#d02a1e"
LEVEL_GAP = 60
"""Millimetres between the two levels of mission 5 in a picture."""
LETTERS = "CGYDRSAOUBN"
"""A letter for each marine, in the order of the datacards."""
TYPE_LETTERS = ("ag", "ap", "ml", "gl", "ha", "pi", "gs", "fa", "PA", "MA", "PR")
RANGES = ("within Assault range", "within Combat range", "within Maximum range", "out of range")
RADIUS = 8.5
STEP = 19.0
"""From the centre of one model to that of the next."""
DETAIL = 1.15
"""Page units per millimetre, so that labels, 9 mm high, can be read."""
LABEL = 14.0
"""Height of the line at the top of a zone that holds its number."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in millimetres; y grows north, while it grows downwards in the data files."""


def _drop(t: Any, mission: int) -> int:
    """Return how much nearer the lower mine is drawn than the data file puts it, far out of every range."""
    here = slice(0, int(t["zones"][mission]))
    lower = t["level"][mission, here] == 1
    if not lower.any():
        return 0
    rects = t["rect"][mission, here].astype(int)
    return int(rects[lower, 1].min() - (rects[~lower, 1] + rects[~lower, 3]).max()) - LEVEL_GAP


def _box(rect: Rect | NDArray[np.int16], lower: bool, drop: int) -> Box:
    x, y, w, h = (int(v) for v in rect)
    y -= drop if lower else 0
    return float(x), float(-y - h), float(x + w), float(-y)


def _zone_boxes(t: Any, mission: int) -> list[Box]:
    drop = _drop(t, mission)
    zones = range(int(t["zones"][mission]))
    return [_box(t["rect"][mission, z], bool(t["level"][mission, z]), drop) for z in zones]


def _centre(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _sections(s: Any, t: Any, mission: int) -> list[Shape]:
    """Return the boards, below the zones: what no zone covers is blocked, or the Void."""
    drop = _drop(t, mission)
    data = load().missions[mission - 1]
    shapes = []
    for k, (section, rect) in enumerate(zip(data.sections, footprints(data), strict=True)):
        left, bottom, right, top = _box(rect, bool(section.level), drop)
        gone = k < s["destroyed"]
        shapes.append(
            Shape(
                "rect",
                ((left, bottom), (right, top)),
                id=f"section-{k}",
                fill=GONE if gone else VOID if section.face.void else BLOCK,
                stroke=GONE,
                width=3.0,
                title=section.face.name + (" (destroyed)" if gone else ""),
            )
        )
    return shapes


def _section_names(t: Any, mission: int) -> list[Shape]:
    """Return the names of the boards, above the zones."""
    drop = _drop(t, mission)
    data = load().missions[mission - 1]
    shapes = []
    for section, rect in zip(data.sections, footprints(data), strict=True):
        box = _box(rect, bool(section.level), drop)
        ink = FREE if section.face.void else NAME
        shapes.append(Shape("text", (_centre(box),), text=section.face.name, size=20.0, fill=ink))
        corners = ((box[0], box[1]), (box[2], box[3]))
        shapes.append(Shape("rect", corners, stroke=GONE, width=2.5))
    return shapes


PLACES = ("destroyed", "cell", "lift", "silo", "Throne", "exit", "muster")
"""What a zone may be by the map."""


def _floor(s: Any, t: Any, mission: int, z: int) -> tuple[str, str]:
    """Return colour and meaning of a zone."""
    if t["section"][mission, z] < s["destroyed"]:
        return GONE, "destroyed"
    for column, word in (("is_cell", "cell"), ("is_lift", "lift"), ("silo", "silo")):
        if t[column][mission, z]:
            return SPECIAL, word
    if z == t["throne"][mission]:
        return SPECIAL, "Throne"
    if z == t["exit_zone"][mission]:
        return EXIT, "exit"
    if t["is_muster"][mission, z]:
        return MUSTER, "muster"
    return FLOOR, ""


def zone_words(s: Any, t: Any, mission: int, z: int) -> list[str]:
    """Return what holds of a zone, as its label says it."""
    word = _floor(s, t, mission, z)[1]
    words = [word] if word else []
    words += [mark for k, mark in enumerate(st.ZONE_MARK_NAMES) if int(s["zone_marks"][z]) >> k & 1]
    words += ["smoke"] if z == s["smoke_zone"] else []
    words += ["skull"] if z == s["skull_zone"] else []
    silo = int(t["silo"][mission, z])
    return words + (["krak"] if silo and int(s["krak"]) >> (silo - 1) & 1 else [])


def _range(s: Any, t: Any, mission: int, z: int) -> str:
    """Return how far a zone is from the marine or the group in hand; nothing if there is none on the board."""
    marine = int(s["marine"])
    here = (
        int(s["zone"][marine]) if marine >= 0 and s["core"]["seat"] == st.DEATHWATCH else int(s["sel_zone"])
    )
    return f"{RANGES[int(t['band'][mission, here, z])]} of what is in hand" if here >= 0 else ""


def _zones(
    s: Any, t: Any, mission: int, boxes: Sequence[Box], in_hand: Sequence[int], wait: bool
) -> list[Shape]:
    shapes = []
    for z, (left, bottom, right, top) in enumerate(boxes):
        words = zone_words(s, t, mission, z)
        capacity, used = int(t["capacity"][mission, z]), int(s["used"][z])
        words += ["" if wait else _range(s, t, mission, z), f"room {capacity - used} of {capacity}"]
        title = ", ".join([names.zone_names(mission)[z], *filter(None, words)])
        shapes.append(
            Shape(
                "rect",
                ((left, bottom), (right, top)),
                id=f"zone-{z}",
                fill=_floor(s, t, mission, z)[0],
                stroke=WOUND if z in in_hand else EDGE,
                width=3.0 if z in in_hand else 1.2,
                title=title,
            )
        )
    return shapes


def _labels(s: Any, t: Any, mission: int, boxes: Sequence[Box]) -> list[Shape]:
    """Return the labels of zones: number, number on the board, what holds of it, room."""
    shapes = []
    first = {int(t["section"][mission, z]): z for z in reversed(range(len(boxes)))}
    for z, (left, bottom, _, top) in enumerate(boxes):
        number = z - first[int(t["section"][mission, z])] + 1
        label = " ".join([f"{z} ({number})", *zone_words(s, t, mission, z)])
        floor = _floor(s, t, mission, z)[0]
        ink = FREE if floor == GONE else GONE
        halo: dict[str, Any] = {"fill": ink, "stroke": floor, "width": 1.5}  # the board's name may lie below
        at = (left + 3, top - 7)
        shapes.append(Shape("text", (at,), text=label, size=9.0, anchor="start", **halo))
        if s["used"][z]:
            room = f"{int(s['used'][z])}/{int(t['capacity'][mission, z])}"
            at = (left + 3, bottom + 6)
            shapes.append(Shape("text", (at,), text=room, size=7.0, anchor="start", **halo))
    return shapes


def _disc(s: Any, t: Any, m: int, x: float, y: float) -> list[Shape]:
    """Return a model with its letter, and what it carries."""
    kind = int(t["kind"][m]) - st.MARINES
    wounded = bool(s["wounds"][m])
    notes = [word for word, holds in (("wounded", wounded), ("skull", m == s["carrier"])) if holds]
    notes += ["homer"] if m == s["homer"] else []
    shapes = [
        Shape(
            "circle",
            ((x, y),),
            id=f"model-{m}",
            radius=RADIUS,
            fill=MARINE if m < st.MARINES else LEADER if kind >= st.PATRIARCH else CULT,
            stroke=WOUND if wounded else "#ffffff",
            width=2.4 if wounded else 0.8,
            title=names.model_name(m) + (f" ({', '.join(notes)})" if notes else ""),
        )
    ]
    for held, colour, side in (("skull", SKULL, 1), ("homer", HOMER, -1)):
        if held in notes:
            corner = (x + side * 0.75 * RADIUS, y + 0.75 * RADIUS)
            shapes.append(Shape("circle", (corner,), radius=3.6, fill=colour, stroke="#ffffff", width=0.6))
    letter = LETTERS[m] if m < st.MARINES else TYPE_LETTERS[kind]
    shapes.append(Shape("text", ((x, y),), text=letter, size=9.0, fill="#ffffff"))
    return shapes


def _models(s: Any, t: Any, boxes: Sequence[Box]) -> list[Shape]:
    shapes = []
    for z, (left, bottom, right, top) in enumerate(boxes):
        here = [m for m in range(st.MODELS) if s["zone"][m] == z]
        columns = max(1, int((right - left - 4) // STEP))  # as many as keep the discs from touching
        rows = max(1, -(-len(here) // columns))
        step = min(STEP, (top - bottom - LABEL - 2 * RADIUS - 2) / max(rows - 1, 1))
        for k, m in enumerate(here):
            x = left + 3 + RADIUS + STEP * (k % columns)
            shapes += _disc(s, t, m, x, top - LABEL - RADIUS - step * (k // columns))
    return shapes


def _points(s: Any, t: Any, mission: int, boxes: Sequence[Box], seat: int | None) -> list[Shape]:
    shapes = []
    beside: dict[int, int] = {}
    for a in range(int(t["points"][mission])):
        z = int(t["point_zone"][mission, a])
        _, bottom, right, _ = boxes[z]
        number = beside.setdefault(z, 0)
        beside[z] += 1
        x, y = right - 10 - 20 * number, bottom + 10
        card = int(s["point_card"][a])
        face_up = bool(s["point_marks"][a] & st.TURNED_UP)
        known = card >= 0 and (face_up or seat != st.DEATHWATCH)
        title = names.point_names(mission)[a] + (f": {names.card_name(card)}" if known else "")
        corners = ((x, y + 9), (x + 9, y), (x, y - 9), (x - 9, y))
        fill = FREE if card < 0 else FACE_UP if face_up else LAID
        shapes.append(
            Shape("polygon", corners, id=f"point-{a}", fill=fill, stroke=LAID, width=1.2, title=title)
        )
        text = str(a) + ("~" if s["point_marks"][a] & st.LURKING else "")
        shapes.append(Shape("text", ((x, y),), text=text, size=8.0, fill=LAID if card < 0 else "#ffffff"))
    return shapes


def _attack(s: Any, boxes: Sequence[Box], events: Sequence[Event]) -> list[Shape]:
    """Return a line for the last attack, from the attacker, if it lives, to the zone that was attacked."""
    attack = None
    for event in events:
        if event.kind in ("attacked", "mission_began"):
            attack = event if event.kind == "attacked" else None
    if attack is None or not 0 <= int(attack.data["zone"]) < len(boxes):
        return []
    models = [m for m in range(st.MODELS) if names.model_name(m) == attack.data["model"]]
    start = int(s["zone"][models[0]]) if models else -1
    (left, bottom, right, top), end = (
        boxes[int(attack.data["zone"])],
        _centre(boxes[int(attack.data["zone"])]),
    )
    shapes = [
        Shape("rect", ((left + 2, bottom + 2), (right - 2, top - 2)), stroke=ATTACK, width=2.0, dash=True)
    ]
    if 0 <= start < len(boxes) and start != attack.data["zone"]:
        line = (_centre(boxes[start]), end)
        shapes.append(
            Shape("line", line, id="attack", stroke=ATTACK, width=2.0, dash=True, title=attack.sentence)
        )
    return shapes


def _legend(s: Any, t: Any, mission: int, colours: set[str]) -> list[tuple[str, str]]:
    """Return what the colours and letters mean, of those that the picture has."""
    shown = [m for m in range(st.MODELS) if s["zone"][m] >= 0]
    entries = [(MARINE, f"{LETTERS[m]}  {names.marine_name(m)}") for m in shown if m < st.MARINES]
    kinds = sorted({int(t["kind"][m]) - st.MARINES for m in shown if m >= st.MARINES})
    entries += [
        (LEADER if kind >= st.PATRIARCH else CULT, f"{TYPE_LETTERS[kind]}  {names.type_name(kind)}")
        for kind in kinds
    ]
    held = s["point_card"][: int(t["points"][mission])] >= 0
    more = (
        (WOUND, "wounded (edge)", np.any(s["wounds"][shown] > 0)),
        (SKULL, "carries the skull", s["carrier"] >= 0),
        (HOMER, "carries the homer", int(s["homer"]) in shown),
        (LAID, "Ambush Point with a card", held.any()),
        (FACE_UP, "the same, turned up", (s["point_marks"] & st.TURNED_UP > 0).any()),
        (FREE, "Ambush Point", not held.all()),
        (MUSTER, "muster zone", MUSTER in colours),
        (EXIT, "exit", EXIT in colours),
        (SPECIAL, "objective", SPECIAL in colours),
        (GONE, "destroyed", s["destroyed"] > 0),
        (VOID, "the Void", any(one.face.void for one in load().missions[mission - 1].sections)),
        ("", "Zones: number (number on the board); below: room taken / in all", True),
    )
    return entries + [(colour, text) for colour, text, holds in more if holds]


def scene(states: NDArray[np.void], i: int, seat: int | None = None, events: Sequence[Event] = ()) -> Scene:
    """Return the board as shapes.

    Args:
        states: Array of records.
        i: Which of them.
        seat: Who looks: the Deathwatch does not see face-down cards, nor what the cult has in hand; None sees
            everything.
        events: What to list below the board; the last attack is drawn.
    """
    s = np.asarray(states)[i]
    t = tables()[0]
    mission = int(s["mission"])
    boxes = _zone_boxes(t, mission)
    wait = seat is not None and seat != int(s["core"]["seat"]) and not s["core"]["over"]
    sections = _sections(s, t, mission)
    corners = [corner for shape in sections for corner in shape.points]
    box = (
        min(x for x, _ in corners) - 12,
        min(y for _, y in corners) - 12,
        max(x for x, _ in corners) + 12,
        max(y for _, y in corners) + 12,
    )
    in_hand = () if wait else (int(s["sel_zone"]), int(s["target_zone"]))
    shapes = [
        Shape("rect", ((box[0], box[1]), (box[2], box[3])), id="table", fill=TABLE),
        *sections,
        *_zones(s, t, mission, boxes, in_hand, wait),
        *_section_names(t, mission),
        *_labels(s, t, mission, boxes),
        *_points(s, t, mission, boxes, seat),
        *_models(s, t, boxes),
        *_attack(s, boxes, events),
    ]
    ask = "The other side decides." if wait else describe.question(states, i)
    colours = {_floor(s, t, mission, z)[0] for z in range(len(boxes))}
    return Scene(
        box,
        shapes,
        caption=f"Mission {mission}, turn {int(s['core']['turn'])}: {ask}",
        legend=_legend(s, t, mission, colours),
        notes=tuple(event.sentence for event in events),
        detail=DETAIL,
    )
