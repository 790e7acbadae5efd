"""Colours, letters and places of the pictures."""

from __future__ import annotations

from broodmind.envs.maze import state as st

GROUND, PANEL_GROUND, ROCK, FLOOR, DARK = "#17191d", "#262a30", "#33373e", "#b9b2a4", "#0a0b0d"
DOOR, CERAMITE, PIT, RUBBLE = "#8a5a2b", "#d9d4c7", "#0a0b0d", "#6d6459"
VENT, LIT_VENT, INK, PALE = "#3c4d45", "#ffd75a", "#17191d", "#f4f1ea"
SCION, MARINE, TERMINATOR, HORROR = "#3f6e4e", "#2f5fa8", "#8c2f2f", "#6b2f80"
BEACON, ITEM, DANGER, CHOSEN, FOUND = "#35c26b", "#e0b23c", "#e0452c", "#ffffff", "#d7c48f"
FLOORS = {
    st.SHUTTLE: "#9fc3d8",
    st.BEACON_ROOM: "#a9d6b4",
    st.NEST: "#b58fae",
    st.MASSACRE: "#c99a90",
    st.MARINE_ARMOURY: "#a7b4cf",
    st.RANSACKED: "#c9bd9a",
    st.CHAPEL: "#e4dab5",
    st.SHRINE: "#a3848c",
    st.PLATFORM: "#98a6b8",
    st.LIFT: "#bdbdbd",
}
SHORT = {
    st.SHUTTLE: "Shuttle",
    st.BEACON_ROOM: "Beacon",
    st.NEST: "Nest",
    st.MASSACRE: "Massacre",
    st.MARINE_ARMOURY: "Armoury",
    st.RANSACKED: "Ransacked",
    st.CHAPEL: "Chapel",
    st.SHRINE: "Shrine",
    st.PLATFORM: "Platform",
    st.LIFT: "Lift",
}
LETTERS = "LWDMST"
"""A letter for each explorer; S is the Tactical Marine."""
LANDMARKS = {st.SHUTTLE: "@", st.BEACON_ROOM: "B", st.NEST: "N"}
"""Signs of tiles that are worth one where the board is shown small; S is the Tactical Marine's."""
ROOMS = (*SHORT, st.LARGE_ROOM)
VENT_PLACES = ((-8.0, 8.0), (8.0, 8.0), (-4.8, -8.0), (4.8, -8.0))
"""Beside the name of a room, the Beacon and items."""
SEATS = {
    1: ((0.0, 0.0),),
    2: ((-2.6, 0.0), (2.6, 0.0)),
    3: ((-2.6, -2.3), (2.6, -2.3), (0.0, 2.3)),
    4: ((-2.6, -2.4), (2.6, -2.4), (-2.6, 2.4), (2.6, 2.4)),
}
SIX_SEATS = ((-4.9, -2.4), (0.0, -2.4), (4.9, -2.4), (-4.9, 2.4), (0.0, 2.4), (4.9, 2.4))
HORROR_PLACES = {
    st.SHADOWS: "in the Shadows",
    st.PROWLING: "on the board",
    st.IN_NEST: "in its Nest",
    st.SLAIN: "slain",
}


def model_colour(m: int) -> str:
    """Return the colour of an explorer."""
    return SCION if m < st.SCIONS else TERMINATOR if m == st.TERMINATOR else MARINE
