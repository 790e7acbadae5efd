"""Colours and letters of the pictures, told apart by the colour-blind too, and by letters anyway."""

from __future__ import annotations

from broodmind.envs.macragge import names
from broodmind.envs.macragge import state as st

# After Okabe and Ito's palette, which stays distinct under the common kinds of colour blindness.
INK = "#1a1a1a"
GROUND = "#f7f3ea"
GRID = "#ddd5c4"
EDGE = "#8a8273"
WRECK = "#a9a9a9"
WRECK_EDGE = "#5c5c5c"
COCKPIT = "#8295a6"
CORE_WRECK = "#b5a38a"
EXIT = "#009e73"
MARKER = "#3a2a1f"
NODE = "#7a4b2a"
PROJECTOR = "#009e73"
BEACON = "#ffffff"
COVER = "#ffffff"
VARRAS = "#003f7d"
SQUAD_OCTAVIAN = "#0072b2"
SQUAD_ATREUS = "#56b4e9"
GENESTEALERS = ("#7b3294", "#d4a6e8", "#3f0f5c", "#a35fc0", "#8e2f6b")
TERMAGANTS = ("#a6611a", "#f0c98f", "#6b3a06", "#c98a5e", "#8a6d3b", "#4f2c00", "#dfb26f")
"""Units of one kind differ in brightness above all; the first three, which are the usual ones, differ most."""
NEST = "#6b7a3a"
MINES = ("#e69f00", "#f0e442", "#cc79a7")
MINE_LETTERS = "EAP"
IN_HAND = "#f0e442"
PLAN = "#1a1a1a"
EVENT = "#d55e00"
SLAIN = "#a00020"

KIND_LETTERS = "VOFBMGT"


def sign(slot: int, mine_type: int = 0) -> str:
    """Return what stands on a base: a letter, and a number where there are several (``"B2"``)."""
    if slot >= st.FIRST_MINE:
        return f"{MINE_LETTERS[mine_type]}{slot - st.FIRST_MINE + 1}"
    letter = KIND_LETTERS[st.KIND_OF_SLOT[slot]]
    number = names.MODELS[slot].rpartition(" ")[2]
    return letter + number if number.isdigit() else letter


def colour_of_group(group: int) -> str:
    """Return the colour of the models of a unit."""
    if group == st.GROUP_ATREUS:
        return SQUAD_ATREUS
    if group <= st.GROUP_OCTAVIAN:
        return SQUAD_OCTAVIAN
    if group <= st.LAST_GENESTEALER_UNIT:
        return GENESTEALERS[group - st.FIRST_GENESTEALER_UNIT]
    if group <= st.LAST_TERMAGANT_UNIT:
        return TERMAGANTS[group - st.FIRST_TERMAGANT_UNIT]
    return NEST


def letter_colour(fill: str) -> str:
    """Return black or white, whichever is easier to read on a colour ``#rrggbb``."""
    red, green, blue = (int(fill[k : k + 2], 16) for k in (1, 3, 5))
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"
