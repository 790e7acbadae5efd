"""Random crowded positions of missions 1, 2 and 4: everything near the models that are to move."""

from __future__ import annotations

from random import Random

from macragge.rules.broods import BROOD_A, at
from macragge.rules.brute_force import Cell, d2, on_table
from macragge.rules.table import PASS, Table, position

STANDARD_WRECKS = ((6, 48), (18, 80), (40, 24), (52, 64), (72, 32))


def _near(rng: Random, centre: Cell, far: int) -> Cell:
    return centre[0] + rng.randint(-far, far), centre[1] + rng.randint(-far, far)


def _scatter(rng: Random, count: int, centre: Cell, far: int, taken: list[tuple[Cell, int]]) -> list[Cell]:
    """Return at most `count` free cells near a centre; `taken` lists (cell, least squared distance) and grows."""
    found: list[Cell] = []
    for _ in range(20 * count):
        cell = _near(rng, centre, far)
        if len(found) < count and on_table(cell) and all(d2(cell, other) >= least for other, least in taken):
            found.append(cell)
            taken.append((cell, 4))
    return found


def crowded_varras(rng: Random) -> Table:
    """Return a position of mission 1 with Varras among wrecks, mines and markers, sometimes at the table's edge."""
    wreck = rng.choice(STANDARD_WRECKS)
    while True:
        varras = (
            _near(rng, wreck, 14) if rng.random() < 0.8 else (rng.choice((1, 2, 50, 95)), rng.randint(1, 95))
        )
        if on_table(varras) and all(d2(varras, w) >= 25 for w in STANDARD_WRECKS):
            break
    taken = [(varras, 7)]
    mines = _scatter(rng, rng.randint(0, 8), varras, 15, taken)
    # Markers may not stand on a wreck; mines may float over one.
    taken = [(cell, 4) for cell in (varras, *mines)] + [(w, 25) for w in STANDARD_WRECKS]
    markers = _scatter(rng, 3, varras, 12, taken)
    return position(1, varras=varras, mines=dict(enumerate(mines, 27)), markers=dict(enumerate(markers)))


def crowded_squad(rng: Random, broken: bool = False) -> Table:
    """Return a position of mission 2 with the squad in a chain (or in two parts) among obstacles."""
    wreck = rng.choice(STANDARD_WRECKS)
    crossing = rng.random() < 0.4  # some stand on the wreck
    while True:
        squad: list[Cell] = []
        for k in range(5):
            for _ in range(200):
                if not squad:
                    cell = _near(rng, wreck, 16)
                elif broken and k == 3:
                    cell = _near(rng, squad[0], 14)
                else:
                    cell = _near(rng, rng.choice(squad[3:] or squad), 6)
                away = all(d2(cell, other) >= 4 for other in squad)
                linked = not squad or any(d2(cell, other) <= 36 for other in squad)
                if not on_table(cell) or not away or (linked == (broken and k == 3)):
                    continue
                if not crossing and any(d2(cell, w) < 25 for w in STANDARD_WRECKS):
                    continue
                squad.append(cell)
                break
        if len(squad) == 5:
            break
    middle = squad[2]
    taken = [(cell, 7) for cell in squad]
    varras = (_scatter(rng, 1, middle, 14, [*taken, *((w, 25) for w in STANDARD_WRECKS)]) or [(90, 90)])[0]
    taken.append((varras, 7))
    mines = _scatter(rng, rng.choice((0, 0, 1, 3, 5, 7)), middle, 18, taken)
    taken = [(cell, 4) for cell, _ in taken] + [(w, 25) for w in STANDARD_WRECKS]
    markers = _scatter(rng, 3, middle, 14, taken)
    return position(
        2,
        varras=varras,
        squad=dict(enumerate(squad, 1)),
        mines=dict(enumerate(mines, 27)),
        markers=dict(enumerate(markers)),
    )


def crowded_retreat(rng: Random, dice: list[int]) -> Table:
    """Return the RETREAT decision of a squad among Genestealers and wrecks, sometimes at the table's edge."""
    centre = rng.choice(((56, 46), (56, 46), (82, 10), (90, 50)))
    ahead = (centre[0] + 9, centre[1] + rng.randint(-4, 4))
    wrecks = [w if k != 3 or centre[0] > 60 else ahead for k, w in enumerate(STANDARD_WRECKS)]
    while True:
        squad: list[Cell] = []
        for _ in range(400):
            cell = _near(rng, rng.choice(squad), 6) if squad else _near(rng, centre, 3)
            away = all(d2(cell, other) >= 4 for other in squad) and all(d2(cell, w) >= 25 for w in wrecks)
            linked = not squad or any(d2(cell, other) <= 36 for other in squad)
            if len(squad) < 6 and on_table(cell) and cell[0] < 95 and away and linked:
                squad.append(cell)
        if len(squad) == 6:
            break
    taken = [(cell, 7) for cell in squad] + [(w, 25) for w in wrecks]
    brood = _scatter(rng, rng.randint(1, 6), (centre[0] + 5, centre[1]), 14, taken)
    table = at(
        4,
        "MOVE_SELECT",
        turn="tyranids",
        squad=dict(enumerate(squad)),
        broods={BROOD_A: dict(enumerate(brood, 11)) or {11: (90, 90)}},
        wrecks={3: wrecks[3]},
    )
    table.env.feed_dice(dice)
    while table.phase != "RETREAT":
        table.env.step(PASS)
    return table
