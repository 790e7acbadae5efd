"""The layout of the observation: the same for both seats and all missions (ledger section 4)."""

from __future__ import annotations

from broodmind.envs.core.observation import Block, ObservationLayout
from broodmind.envs.overkill import state as st

_SHOWN_STAGES = tuple("wait" if name == "OVER" else name.lower() for name in st.STAGES)

OBSERVATION = ObservationLayout(
    (
        Block(
            "globals",
            1,
            (
                *((f"mission_{k}", f"1 in mission {k}") for k in range(1, st.MISSIONS + 1)),
                ("turn", "turn / turn limit (20 without one), at most 1"),
                *((f"phase_{name}", f"1 in the phase {name}") for name in st.PHASES),
                *((f"stage_{name}", f"1 when the decision is {name}") for name in _SHOWN_STAGES),
                ("to_act", "1 if the decision is the observer's"),
                ("kills", "cult models slain / 39, at most 1"),
                ("slain", "marines slain / 11"),
                ("lose_at", "slain marines that lose the mission / 11, 0: all"),
                ("exited", "marines who left the board / 8"),
                *((f"krak_{k}", f"1 if the silo has grenades in its zone {k}") for k in range(3)),
                ("destroyed", "sections destroyed / 4"),
                ("hand", "cards in hand / 16, at most 1"),
                ("deck", "cards in the deck / 30"),
                ("discard", "cards in the discard pile / 30"),
                ("due", "cards that must still be laid / 7"),
                ("lay_min", "least cards laid each turn / 7"),
                ("lay_max", "most cards laid each turn / 7"),
                ("no_ambush", "1 if no card is laid any more"),
                ("late", "1 if marines do nothing before the second attack of turn 1"),
                ("lower_open", "1 once the lower mine is entered"),
                ("dust", "1 under Choking Dust"),
                ("smoke_used", "1 once the smoke is used"),
                ("teleported", "1 once the teleport is used"),
                ("reinforced", "1 if a reserve came this turn"),
                ("hits", "hits to be allotted / 5, at most 1"),
                ("moves", "moves left / 6, at most 1"),
                ("campaign", "1 in the campaign"),
                ("index", "missions played / 9"),
                ("victories_deathwatch", "missions won / 9"),
                ("victories_cult", "missions won / 9"),
                *((f"type_{name}", f"1 if {name} is picked") for name in st.TYPE_IDS),
                *((f"profile_{k + 1}", f"1 if profile {k + 1} is picked") for k in range(st.MAX_PROFILES)),
            ),
        ),
        Block(
            "marines",
            st.MARINES,
            (
                ("allowed", "1 if the campaign lets him join this mission's team"),
                ("team", "1 if in the team"),
                ("reserve", "1 if in reserve"),
                ("on_board", "1 if on the board"),
                ("slain", "1 if slain"),
                ("exited", "1 if he left the board"),
                ("wounded", "1 if wounded"),
                ("moved", "1 if he moved in this phase"),
                ("acted", "1 if he acted in this phase"),
                ("skull", "1 if he carries the skull"),
                ("homer", "1 if he carries the homer"),
                ("pinned", "1 behind a Sealed Bulkhead"),
                ("jammed", "1 if jammed"),
                ("no_recovery", "1 if he may not recover this turn"),
                ("static", "1 under Psychic Static"),
                ("mesmerised", "1 if mesmerised"),
                ("might", "1 if his force sword is strengthened"),
                ("picked", "1 if picked"),
                ("x", "centre of his zone, east in mm / 1200"),
                ("y", "centre of his zone, down in mm / 1800"),
            ),
            "marine",
        ),
        Block(
            "zones",
            st.MAX_ZONES,
            (
                ("exists", "1 if the mission has it"),
                ("standing", "1 unless its section is destroyed"),
                ("x", "centre, east in mm / 1200"),
                ("y", "centre, down in mm / 1800"),
                ("width", "mm / 200"),
                ("height", "mm / 200"),
                ("room", "free room / 64"),
                ("section", "section / 8"),
                ("level", "1 in the lower mine"),
                ("muster", "1 if a muster zone"),
                ("exit", "1 if the exit zone"),
                ("energy_cell", "1 if an energy cell"),
                ("lift", "1 if on the lift"),
                ("silo", "1 if it borders the silo"),
                ("krak", "1 if grenades are attached there"),
                ("throne", "1 if the Throne"),
                ("skull", "1 if the skull lies there"),
                ("smoke", "1 under smoke"),
                *((name, f"1 under {name}") for name in st.ZONE_MARK_NAMES),
                ("picked", "1 if picked"),
                ("target", "1 if attacked"),
                ("points", "Ambush Points / 3"),
                *((name, f"1 if {name} is there") for name in st.MARINE_IDS),
                *((name, f"{name} models there / their number") for name in st.TYPE_IDS),
                *(
                    (f"{name}_ready", "those that have not moved, or acted, in this phase")
                    for name in st.TYPE_IDS
                ),
            ),
            "zone",
        ),
        Block(
            "points",
            st.MAX_POINTS,
            (
                ("exists", "1 if the mission has it"),
                ("usable", "1 if it may be used"),
                ("x", "centre of its zone, east in mm / 1200"),
                ("y", "centre of its zone, down in mm / 1800"),
                ("card", "1 if a card lies there"),
                ("lurking", "1 if the card lurks"),
                ("turned_up", "1 if the card is turned up"),
                ("picked", "1 if picked"),
                *(
                    (f"card_{c}", f"1 if it is card {c}, as far as the observer may know")
                    for c in range(st.CARDS)
                ),
            ),
            "Ambush Point",
        ),
        Block(
            "cards",
            1,
            (
                *((f"discard_{c}", f"1 if card {c} is discarded") for c in range(st.CARDS)),
                *((f"hand_{c}", f"1 if card {c} is in the observer's hand") for c in range(st.CARDS)),
                *((f"picked_{c}", f"1 if the observer has picked card {c}") for c in range(st.CARDS)),
            ),
        ),
        Block(
            "pool",
            1,
            (
                *((name, f"{name} models in the pool / their number") for name in st.TYPE_IDS),
                *((f"{name}_lost", "slain for good / their number") for name in st.TYPE_IDS),
                *((f"{name}_wounded", f"1 if the {name} is wounded") for name in st.TYPE_IDS[st.PATRIARCH :]),
            ),
        ),
    )
)

MODEL_KEYS = 0
POINT_KEYS = MODEL_KEYS + st.MODELS
ZONES_PER_KEY = 12
MARK_KEYS = POINT_KEYS + st.MAX_POINTS
ZONE_FLAGS = MARK_KEYS + -(-st.MAX_ZONES // ZONES_PER_KEY)
CARD_SETS = ZONE_FLAGS + 4
DESTROYED = CARD_SETS + 3
KRAK = DESTROYED + 1
WRITTEN = KRAK + 1
MEMORY = WRITTEN + 1
"""Numbers that :func:`broodmind.envs.overkill.observe.fill` keeps per vector: a key per model and point, the marks of
zones twelve to a number, where skull, smoke and what is picked lie, sets of cards, and the mission, 0 if nothing is
known."""
