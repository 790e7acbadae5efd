"""The board as shapes: table, pieces, models, what is in hand with its plan, and what has just happened."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Event
from broodmind.envs.core.labels import Labels
from broodmind.envs.core.render_page import NOTE_LINES
from broodmind.envs.core.scene import Scene, Shape
from broodmind.envs.macragge import describe, draw_events, names, palette
from broodmind.envs.macragge import state as st

BOX = (-5.0, -4.5, 97.5, 97.5)
TABLE = 96
SQUARE = 12
"""Lines of the grid every 6 inches."""
SIGN_SIZES = {1: 1.75, 2: 1.45, 3: 1.1}
"""Height of the sign on a base, by its length."""
LABEL_SIZE = 2.1
UNIT_LABEL_SIZE = 1.8
PIECE_LABEL_SIZE = 2.3
TICK_SIZE = 1.9
FIELD_REACH = 9
BEACON_REACH = 13
RENDEZVOUS_REACH = 12
ARC_POINTS = 96
LAST_TURN = 12
"""Mission 6 ends with this turn by its rules, whatever limit a game is given (MAC-M6.3)."""
KILLS = 12
"""Genestealers that must die in mission 3 (MAC-M3.3)."""
NOTE_LENGTH = 115
"""Most characters in a line of notes."""
MINOR_EVENTS = frozenset({"rolled", "unit_moved", "hit", "spared", "saved"})
PLANNING = (st.MOVE_EDIT, st.MOVE_CELL)

UNIT_LEGENDS = {
    st.GROUP_OCTAVIAN: "Squad Octavian: O sergeant, F flamer, B bolters",
    st.GROUP_ATREUS: "Squad Atreus: M missile launcher, B bolters",
}
SHORT_NAMES = {"missile launcher": "missile"}
NESTS = (st.GROUP_GENESTEALER_NEST, st.GROUP_TERMAGANT_NEST)


def covering_pieces(s: Any) -> list[int]:
    """Return the pieces that give Genestealers and Termagants cover: wrecks and the hive node (MAC-B33)."""
    if int(s["core"]["mission"]) <= st.RESCUE_VARRAS:
        return []
    kinds = (st.PIECE_WRECK, st.PIECE_HIVE_NODE)
    return [k for k in range(st.PIECES) if int(s["pieces"][k]["kind"]) in kinds]


def models_in_cover(s: Any) -> list[int]:
    """Return the Genestealers and Termagants that have a cover save against bolts and missiles (MAC-B33, M6.8)."""
    pieces = [(int(p["x"]), int(p["y"]), int(p["r"]) + 1) for p in s["pieces"][covering_pieces(s)]]
    covered = []
    for slot in range(st.FIRST_GENESTEALER, st.FIRST_MINE):
        m = s["models"][slot]
        if int(m["status"]) != st.STATUS_TABLE:
            continue
        x, y = int(m["x"]), int(m["y"])
        hidden = int(s["core"]["mission"]) == st.PURGE_THE_XENOS and int(m["group"]) in NESTS
        if hidden or any((x - px) ** 2 + (y - py) ** 2 <= r * r + r for px, py, r in pieces):
            covered.append(slot)
    return covered


def _disc_on_table(x: float, y: float, radius: float) -> tuple[tuple[float, float], ...]:
    """Return the outline of the part of a disc, with its centre on the table, that lies on the table."""
    angles = [2 * pi * k / ARC_POINTS for k in range(ARC_POINTS)]
    return tuple(
        (min(max(x + radius * cos(a), 0.0), TABLE), min(max(y + radius * sin(a), 0.0), TABLE)) for a in angles
    )


def _board() -> list[Shape]:
    """Return the table with a line every 6 inches, a tick every inch, and numbers in half inches."""
    shapes = [Shape("rect", ((0, 0), (TABLE, TABLE)), id="table", fill=palette.GROUND)]
    for at in range(SQUARE, TABLE, SQUARE):
        shapes.append(Shape("line", ((at, 0), (at, TABLE)), stroke=palette.GRID, width=0.15))
        shapes.append(Shape("line", ((0, at), (TABLE, at)), stroke=palette.GRID, width=0.15))
    for at in range(0, TABLE + 1, 2):
        length = 0.9 if at % SQUARE == 0 else 0.5
        shapes += [
            Shape("line", line, stroke=palette.EDGE, width=0.12)
            for line in (((at, 0), (at, -length)), ((0, at), (-length, at)))
        ]
    for at in range(0, TABLE + 1, SQUARE):
        common: dict[str, Any] = {"text": str(at), "size": TICK_SIZE, "fill": palette.EDGE}
        shapes.append(Shape("text", ((at, -2.3),), **common))
        shapes.append(Shape("text", ((-1.5, at),), anchor="end", **common))
    shapes.append(Shape("rect", ((0, 0), (TABLE, TABLE)), stroke=palette.EDGE, width=0.3))
    return shapes


class _Picture:
    """Collects the shapes of one position."""

    def __init__(self, record: Any) -> None:
        self.s = record
        self.mission = int(record["core"]["mission"])
        self.shapes: list[Shape] = _board()
        self.over: list[Shape] = []
        self.labels = Labels((-0.5, 0.2, TABLE + 1, TABLE + 1))
        self.wanted: list[tuple[tuple[str, ...], float, float, float, float, str]] = []
        self.units: list[tuple[str, list[tuple[float, float]]]] = []
        self.legend: list[tuple[str, str]] = []
        self.where: dict[str, tuple[float, float]] = {}

    def label(self, texts: Sequence[str], x: float, y: float, radius: float, fill: str = palette.INK) -> None:
        """Ask for a label beside a disc: the first of some texts that there is room for."""
        self.wanted.append((tuple(texts), x, y, radius, LABEL_SIZE, fill))

    def say(self, colour: str, text: str) -> None:
        if (colour, text) not in self.legend:
            self.legend.append((colour, text))

    def circle(self, x: float, y: float, radius: float, **style: Any) -> None:
        self.shapes.append(Shape("circle", ((x, y),), radius=radius, **style))

    def rect(self, west: float, south: float, east: float, north: float, **style: Any) -> None:
        self.shapes.append(Shape("rect", ((west, south), (east, north)), **style))

    def text(self, x: float, y: float, text: str, size: float, fill: str) -> None:
        self.shapes.append(Shape("text", ((x, y),), text=text, size=size, fill=fill))

    def take(self) -> list[Shape]:
        """Return the shapes so far and begin a new layer."""
        shapes, self.shapes = self.shapes, []
        return shapes

    # -- zones and pieces ------------------------------------------------------------------------------

    def zones(self) -> None:
        west, south, east, north = (int(value) for value in self.s["exit_rect"])
        if east > west:
            title = "exit zone" if self.mission == st.CRASH_SITE else "start area"
            self._hatch(west, south, east, north)
            zone = (west, south, east, north)
            self.rect(*zone, fill=palette.EXIT, opacity=0.08, id="exit-zone", title=title)
            self.rect(*zone, stroke=palette.EXIT, width=0.35, dash=True)
            y = north + 1.6 if north + 3 < TABLE else south - 1.6
            self.text((west + east) / 2, y, title, PIECE_LABEL_SIZE, palette.EXIT)
            for x in range(west, east + 1, 2):
                self.labels.keep_clear(x, y, 1.2)
            self.say(palette.EXIT, title)
        elif self.mission == st.XENO_TIDE:
            self.shapes.append(
                Shape(
                    "line",
                    ((TABLE, 0), (TABLE, TABLE)),
                    id="exit-zone",
                    title="exit: the whole edge",
                    stroke=palette.EXIT,
                    width=0.9,
                )
            )
            self.say(palette.EXIT, "exit: the whole east edge")
        x, y, present = (int(value) for value in self.s["rendezvous"])
        if present:
            self._landing(x, y, RENDEZVOUS_REACH, "rendezvous", "rendezvous: 6 inches round this point")
            self.say(palette.EXIT, "rendezvous: within 6 inches")
        if self.s["field"]:
            core = self.s["pieces"][1]
            cx, cy = int(core["x"]), int(core["y"])
            zone = (cx - FIELD_REACH, cy - FIELD_REACH, cx + FIELD_REACH, cy + FIELD_REACH)
            self.rect(*zone, id="field", title="power field", fill=palette.PROJECTOR, opacity=0.15)
            self.rect(*zone, stroke=palette.PROJECTOR, width=0.3)

    def _landing(self, x: float, y: float, radius: float, element: str, title: str) -> None:
        """Draw the part of a circle on the table within which Ultramarines get away."""
        outline = _disc_on_table(x, y, radius)
        self.shapes.append(
            Shape("polygon", outline, id=element, title=title, fill=palette.EXIT, opacity=0.15)
        )
        self.shapes.append(Shape("polygon", outline, stroke=palette.EXIT, width=0.35, dash=True))

    def cover(self) -> None:
        """Draw a dashed line round whatever gives cover: bases that touch it are in cover."""
        for k in covering_pieces(self.s):
            p = self.s["pieces"][k]
            r = int(p["r"]) + 1
            self.circle(
                float(p["x"]),
                float(p["y"]),
                sqrt(r * r + r) - 1,
                id=f"cover-piece-{k}",
                title=f"{names.PIECES[k]} gives cover to bases that touch it",
                stroke=palette.WRECK_EDGE,
                width=0.16,
                dash=True,
            )
            self.say(
                palette.WRECK_EDGE,
                "dashed round wreckage, node: gives cover"
                if self.mission > st.XENO_TIDE
                else "dashed round wreckage: gives cover",
            )

    def _hatch(self, west: int, south: int, east: int, north: int) -> None:
        """Draw diagonals three steps apart through a rectangle."""
        for c in range(west - north, east - south, 3):
            start, end = max(west, south + c), min(east, north + c)
            if start < end:
                line = ((start, start - c), (end, end - c))
                self.shapes.append(Shape("line", line, stroke=palette.EXIT, width=0.12, opacity=0.5))

    def pieces(self) -> None:
        for piece, name in enumerate(names.PIECES):
            p = self.s["pieces"][piece]
            kind = int(p["kind"])
            if kind == st.PIECE_NONE:
                continue
            x, y, r = float(p["x"]), float(p["y"]), float(p["r"])
            self.where[name] = (x, y)
            self.labels.keep_clear(x, y, r)
            if kind == st.PIECE_WRECK:
                self._wreck(piece, name, x, y, r, int(p["marks"]))
            elif kind == st.PIECE_MARKER:
                self._marker(piece, name, x, y, r)
            elif kind == st.PIECE_HIVE_NODE:
                self._node(piece, name, x, y, r, int(p["hp"]))
            elif kind == st.PIECE_PROJECTOR:
                self.circle(x, y, r, fill="#ffffff", stroke=palette.PROJECTOR, width=0.25)
                square = (x - 0.6, y - 0.6, x + 0.6, y + 0.6)
                self.rect(*square, id=f"piece-{piece}", title=name, fill=palette.PROJECTOR)
                self.label([name.split()[-1]], x, y, r, palette.PROJECTOR)
                up = int(self.s["field"])
                self.say(
                    palette.PROJECTOR, "power field and projectors" if up else "projectors; the field is down"
                )
            else:
                self._beacon(piece, name, x, y, r)

    def _wreck(self, piece: int, name: str, x: float, y: float, r: float, flags: int) -> None:
        special = "cockpit" if flags & st.PIECE_COCKPIT else "core piece" if flags & st.PIECE_CORE else ""
        fill = {"cockpit": palette.COCKPIT, "core piece": palette.CORE_WRECK}.get(special, palette.WRECK)
        self.circle(
            x,
            y,
            r,
            id=f"piece-{piece}",
            title=f"{name}{', the ' + special if special else ''}",
            fill=fill,
            stroke=palette.WRECK_EDGE,
            width=0.3,
        )
        if special == "cockpit":
            nose = ((x, y + 3.3), (x + 1.5, y + 0.9), (x - 1.5, y + 0.9))
            self.shapes.append(Shape("polygon", nose, fill="#ffffff", opacity=0.75))
        elif special == "core piece":
            holds = int(self.s["fusion_core"]) == st.CORE_IN_WRECK
            self.circle(x, y, 3.1, stroke="#ffffff", width=0.5, dash=not holds)
            if self.mission > st.RESCUE_VARRAS:
                special += ": holds the fusion core" if holds else ": the core is out"
        middle = y - 1.0 if special == "cockpit" else y
        self.text(x, middle, name.split()[-1], PIECE_LABEL_SIZE, palette.INK)
        self.say(fill, special or "wreck")

    def _marker(self, piece: int, name: str, x: float, y: float, r: float) -> None:
        corners = ((x, y + r), (x + r, y), (x, y - r), (x - r, y))
        self.circle(x, y, r, fill="#ffffff", stroke=palette.MARKER, width=0.2)
        self.shapes.append(Shape("polygon", corners, id=f"piece-{piece}", title=name, fill=palette.MARKER))
        wounds = int(self.s["pieces"][piece]["hp"])
        hits = f" ({wounds} left)" if self.mission == st.PURGE_THE_XENOS else ""
        self.label([name.split()[-1] + hits, name.split()[-1]], x, y, r, palette.MARKER)
        self.say(palette.MARKER, "infestation marker (K0..K2)")

    def _node(self, piece: int, name: str, x: float, y: float, r: float, wounds: int) -> None:
        self.circle(
            x,
            y,
            r,
            id=f"piece-{piece}",
            title=f"{name}, {wounds} wounds left",
            fill=palette.NODE,
            stroke=palette.INK,
            width=0.3,
        )
        for k, (dx, dy) in enumerate(((-2, 2), (2, 2), (2, -2), (-2, -2))):
            fill = "#ffffff" if k < wounds else ""
            self.circle(x + dx, y + dy, 0.65, fill=fill, stroke="#ffffff", width=0.15)
        self.text(x, y, f"{wounds}/4", PIECE_LABEL_SIZE, "#ffffff")
        self.say(palette.NODE, "hive node: wounds left of 4")
        if int(self.s["fusion_core"]) == st.CORE_DROPPED:
            self._core_mark(x + 2.2, y)
            self.say(palette.MINES[0], "square on the node: the fusion core")

    def _beacon(self, piece: int, name: str, x: float, y: float, r: float) -> None:
        self._landing(x, y, BEACON_REACH, "boarding", "boarding circle: 6 inches round the beacon")
        self.circle(
            x,
            y,
            r,
            id=f"piece-{piece}",
            title=name,
            fill=palette.BEACON,
            stroke=palette.EXIT,
            width=0.35,
        )
        self.circle(x, y, 0.35, fill=palette.EXIT)
        called = ("beacon", "beacon: signal sent", "beacon: Thunderhawk landed")[
            int(self.s["thunderhawk"]) % 3
        ]
        self.label([called], x, y, r, palette.EXIT)
        self.say(palette.EXIT, f"{called}; dashed: boarding within 6 inches")

    # -- models ----------------------------------------------------------------------------------------

    def models(self) -> None:
        models = self.s["models"]
        slots = [int(slot) for slot in np.flatnonzero(models["status"] == st.STATUS_TABLE)]
        covered = models_in_cover(self.s)
        for slot in covered:
            self._in_cover(slot)
        for slot in sorted(slots, key=lambda slot: (int(models[slot]["group"]), slot)):
            self._model(slot, models[slot], slot in covered)
        for slot in slots:
            self._loads(slot)
        self._name_units(slots)

    def _model(self, slot: int, m: Any, covered: bool) -> None:
        name, x, y = names.MODELS[slot], float(m["x"]), float(m["y"])
        sign = palette.sign(slot, int(m["mine_type"]))
        group = int(m["group"])
        title = [name]
        if slot >= st.FIRST_MINE:
            kind = int(m["mine_type"])
            fill = palette.MINES[kind]
            title.append(names.MINE_TYPES[kind])
            self.say(fill, f"{palette.MINE_LETTERS[kind]}: {names.MINE_TYPES[kind]} spore mine")
        elif slot == st.VARRAS:
            fill = palette.VARRAS
            self.say(fill, "V: Lieutenant Varras")
        else:
            fill = palette.colour_of_group(group)
            title.append(names.GROUPS[group] if 0 <= group < len(names.GROUPS) else "")
            self.say(fill, UNIT_LEGENDS.get(group, names.GROUPS[group]))
        loads = self._loads_of(slot)
        if loads:
            title.append(loads)
        if covered:
            title.append("in cover")
        self.where[name] = (x, y)
        self.labels.keep_clear(x, y, 1.4 if covered else 1.1)
        self.circle(
            x,
            y,
            1.0,
            id=f"model-{slot}",
            title=", ".join(title),
            fill=fill,
            stroke=palette.MINES[0] if slot == st.VARRAS else palette.INK,
            width=0.3 if slot == st.VARRAS else 0.15,
        )
        self.text(x, y, sign, SIGN_SIZES[len(sign)], palette.letter_colour(fill))
        called = SHORT_NAMES.get(name, name) if len(sign) == 1 else ""
        texts = [", ".join(part for part in (called, loads) if part), loads, called]
        self.label([text for text in texts if text], x, y, 1.3 if loads else 1.0)

    def _loads_of(self, slot: int) -> str:
        """Say what a model carries; "" if nothing."""
        loads = [
            what
            for column, what in (("core_carrier", "the core"), ("varras_carrier", "Varras"))
            if int(self.s[column]) == slot
        ]
        return f"carries {' and '.join(loads)}" if loads else ""

    def _core_mark(self, x: float, y: float) -> None:
        self.rect(x - 0.5, y - 0.5, x + 0.5, y + 0.5, fill=palette.MINES[0], stroke=palette.INK, width=0.15)

    def _loads(self, slot: int) -> None:
        """Draw what a model carries above its base, to the right and to the left."""
        x, y = float(self.s["models"][slot]["x"]), float(self.s["models"][slot]["y"])
        if int(self.s["core_carrier"]) == slot:
            self._core_mark(x + 0.95, y + 0.95)
            self.say(palette.MINES[0], f"square on {names.MODELS[slot]}: carries the fusion core")
        if int(self.s["varras_carrier"]) == slot:
            self.circle(x - 0.95, y + 0.95, 0.6, fill=palette.VARRAS, stroke=palette.MINES[0], width=0.2)
            self.say(palette.VARRAS, f"dot on {names.MODELS[slot]}: carries Varras")

    def _in_cover(self, slot: int) -> None:
        """Draw a white rim, below all bases, round one that is in cover."""
        self.circle(
            float(self.s["models"][slot]["x"]),
            float(self.s["models"][slot]["y"]),
            1.3,
            id=f"cover-model-{slot}",
            title=f"{names.MODELS[slot]} is in cover",
            fill=palette.COVER,
            stroke=palette.INK,
            width=0.12,
        )
        self.say(palette.COVER, "white rim: in cover")

    def _name_units(self, slots: Sequence[int]) -> None:
        """Name the units of Tyranids beside one of their models, where there are several of a kind."""
        models = self.s["models"]
        for first, last in (
            (st.FIRST_GENESTEALER, st.LAST_GENESTEALER),
            (st.FIRST_TERMAGANT, st.LAST_TERMAGANT),
        ):
            cells: dict[int, list[tuple[float, float]]] = {}
            for slot in slots:
                if first <= slot <= last:
                    m = models[slot]
                    cells.setdefault(int(m["group"]), []).append((float(m["x"]), float(m["y"])))
            if len(cells) > 1:
                for group, places in sorted(cells.items()):
                    name = names.GROUPS[group]  # "Genestealers B"
                    words = f"{name[0]} nest" if group in NESTS else f"{name[0]} unit {name[-1]}"
                    self.units.append((words, places))

    # -- what is in hand -------------------------------------------------------------------------------

    def in_hand(self) -> None:
        phase, unit, model = int(self.s["phase"]), int(self.s["unit"]), int(self.s["model"])
        models = self.s["models"]
        if phase == st.OVER:
            return
        chosen = [
            slot
            for slot in range(st.MODELS)
            if int(models[slot]["status"]) == st.STATUS_TABLE
            and (slot == model or (unit >= 0 and int(models[slot]["group"]) == unit))
        ]
        if (phase == st.MOVE_PLAN and len(chosen) == 1) or phase == st.MOVE_CELL:
            self._reach(model if phase == st.MOVE_CELL else chosen[0])
        for slot in chosen:
            m = models[slot]
            at = (float(m["x"]), float(m["y"]))
            self.circle(*at, 1.55, stroke=palette.INK, width=0.85 if slot == model else 0.6)
            self.circle(*at, 1.55, stroke=palette.IN_HAND, width=0.4)
            planned = (float(m["plan_x"]), float(m["plan_y"]))
            if phase in PLANNING and planned != at:
                self._ghost(slot, at, planned)
        if chosen:
            self.say(palette.IN_HAND, "ring: in hand")

    def _ghost(self, slot: int, at: tuple[float, float], planned: tuple[float, float]) -> None:
        self.over += draw_events.arrow(at, planned, palette.PLAN, 0.2, 0.6, gap=1.0)
        self.over.append(
            Shape(
                "circle",
                (planned,),
                id=f"plan-{slot}",
                title=f"planned cell of {names.MODELS[slot]}",
                radius=1.0,
                fill="#ffffff",
                opacity=0.75,
            )
        )
        self.over.append(Shape("circle", (planned,), radius=1.0, stroke=palette.PLAN, width=0.15))
        sign = palette.sign(slot)
        size = SIGN_SIZES[len(sign)]
        self.over.append(Shape("text", (planned,), text=sign, size=size, fill=palette.PLAN))
        self.labels.keep_clear(*planned, 1.1)
        self.say("#ffffff", "white base: planned cell")

    def _reach(self, slot: int) -> None:
        """Dot the cells that a model in hand can reach."""
        movers = [int(mover) for mover in self.s["movers"][: int(self.s["mover_count"])]]
        if slot not in movers:
            return
        words = self.s["cells"][movers.index(slot)]
        m = self.s["models"][slot]
        at = "plan" if self.mission == st.XENO_TIDE and int(self.s["active"]) == st.ULTRAMARINES else "start"
        x, y = int(m[f"{at}_x"]), int(m[f"{at}_y"])
        for cell, (dx, dy) in enumerate(names.DEST_OFFSETS):
            if cell and int(words[cell >> 6]) >> (cell & 63) & 1:
                self.circle(x + dx, y + dy, 0.2, fill=palette.SQUAD_OCTAVIAN, opacity=0.55)
        self.say(palette.SQUAD_OCTAVIAN, "dots: cells in reach")

    def place_labels(self) -> list[Shape]:
        placed = []
        for texts, x, y, radius, size, fill in self.wanted:
            tries = (self.labels.place(text, x, y, radius, size, fill, palette.GROUND) for text in texts)
            placed.append(next((label for label in tries if label is not None), None))
        for text, places in self.units:
            tries = (
                self.labels.place(text, x, y, 1.0, UNIT_LABEL_SIZE, palette.INK, palette.GROUND)
                for x, y in places
            )
            placed.append(next((label for label in tries if label is not None), None))
        return [shape for shape in placed if shape is not None]


def caption(states: NDArray[np.void], i: int) -> str:
    """Return one line: mission, turn, whose decision it is, and the question."""
    s = states[i]
    core = s["core"]
    title = names.MISSION_TITLES[int(core["mission"]) - 1]
    limit = int(core["max_turns"])
    if int(core["mission"]) == st.PURGE_THE_XENOS:
        limit = min(limit, LAST_TURN) if limit else LAST_TURN
    turn = f"turn {int(core['turn'])}" + (f" of {limit}" if limit else "")
    if int(core["over"]):
        return f"{title} · {turn} · {describe.question(states, i)}"
    seat = describe.SEAT_TITLES[int(core["seat"])]
    if int(s["active"]) != int(core["seat"]):
        turn += f", {describe.SEAT_TITLES[int(s['active'])]}' turn"
    return f"{title} · {turn} · {seat}: {describe.question(states, i)}"


def notes(events: Sequence[Event]) -> list[str]:
    """Return the events' sentences, several to a line; too many, and the least important are left out."""
    for left_out in ((), MINOR_EVENTS, MINOR_EVENTS | {"drifted", "moved"}):
        lines: list[str] = []
        for event in events:
            if event.kind in left_out:
                continue
            if lines and len(lines[-1]) + len(event.sentence) < NOTE_LENGTH:
                lines[-1] += " " + event.sentence
            else:
                lines.append(event.sentence)
        if len(lines) <= NOTE_LINES:
            break
    return lines


def scene(states: NDArray[np.void], i: int, seat: int | None = None, events: Sequence[Event] = ()) -> Scene:
    """Return the board as shapes.

    Args:
        states: Array of state records.
        i: Which of them.
        seat: Who looks; in this game both seats see everything.
        events: What has just happened, to be highlighted and told below the board.

    Returns:
        A scene in steps of half an inch, the table being 0..96 each way. Models are the elements
        ``model-<slot>``, pieces ``piece-<index>``, planned cells ``plan-<slot>``, marks of cover
        ``cover-model-<slot>`` and ``cover-piece-<index>``; there are also ``table``, ``exit-zone``, ``rendezvous``,
        ``boarding`` and ``field``.
    """
    picture = _Picture(states[i])
    picture.zones()
    picture.pieces()
    picture.cover()
    ground = picture.take()
    picture.models()
    models = picture.take()
    picture.in_hand()
    below = draw_events.areas_and_ways(events, picture.where)
    above = draw_events.event_shapes(events, picture.where)
    for x, y in draw_events.crossed_out(events):
        picture.labels.keep_clear(x, y, 1.3)
    shapes = [*ground, *below, *picture.take(), *models, *picture.over, *above]
    legend = [
        *picture.legend,
        *draw_events.event_legend(events),
        *(
            [("", f"Genestealers killed: {int(picture.s['kills'])} of {KILLS}")]
            if picture.mission == st.FUSION_CORE
            else []
        ),
        ("", "Grid: 6 inches"),
        ("", "Numbers: half inches"),
    ]
    labels = picture.place_labels()
    return Scene(
        BOX,
        [*shapes, *labels],
        caption(states, i),
        legend,
        notes(events),
    )
