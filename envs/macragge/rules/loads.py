"""Who carries Varras and the fusion core, and to whom they pass (MAC-B54, B55)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.geometry import square


@kernel
def nearest_bearer(s, first: int, x: int, y: int) -> int:
    """Return the Ultramarine from slot `first` on who is nearest to a point and not laid down, or -1 (ties: lowest)."""
    best = -1
    best_d2 = 0
    for slot in range(first, st.FIRST_GENESTEALER):
        m = s.models[slot]
        if m.status != st.STATUS_TABLE or m.marks & st.FLAG_LAID:
            continue
        d2 = square(int(m.x), int(m.y), x, y)
        if best < 0 or d2 < best_d2:
            best = slot
            best_d2 = d2
    return best


@kernel
def has_loads(s) -> bool:
    """Say whether Varras and the core can be carried in this mission."""
    return s.core.mission == st.XENO_TIDE or s.core.mission == st.PURGE_THE_XENOS


@kernel
def give_core(s, log, slot: int) -> None:
    """Let a model carry the core from now on; -1: it is lost with the last Ultramarine."""
    s.core_carrier = slot
    if slot < 0:
        s.fusion_core = st.CORE_NONE
        return
    s.fusion_core = st.CORE_CARRIED
    emit(log, st.EVENT_CORE_TAKEN, slot)


@kernel
def give_varras(s, log, slot: int) -> None:
    """Let a Space Marine carry Varras from now on; -1: with none left he is dead."""
    v = s.models[st.VARRAS]
    s.varras_carrier = slot
    if slot < 0:
        v.status = st.STATUS_DEAD
        return
    v.status = st.STATUS_CARRIED
    emit(log, st.EVENT_BROUGHT_DOWN, slot)


@kernel
def pass_loads(s, log, slot: int, x: int, y: int) -> None:
    """Pass on what an Ultramarine, just removed from (x, y), has carried; Varras himself is picked up."""
    if slot == st.VARRAS or s.varras_carrier == slot:
        give_varras(s, log, nearest_bearer(s, st.OCTAVIAN, x, y))
    if s.core_carrier == slot:
        give_core(s, log, nearest_bearer(s, st.VARRAS, x, y))
