"""The stack of suspended sequences: what goes on after an interrupt is answered."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel


@kernel
def push_frame(s, op: int, a: int, b: int) -> None:
    """Suspend what is going on for another sequence."""
    frame = s.frames[s.frame_count]
    frame.op = op
    frame.a = a
    frame.b = b
    frame.c = 0
    s.frame_count = int(s.frame_count) + 1


@kernel
def pop_frame(s) -> None:
    """Go back to the sequence below."""
    s.frame_count = int(s.frame_count) - 1
    frame = s.frames[s.frame_count]
    frame.op = 0
    frame.a = 0
    frame.b = 0
    frame.c = 0


@kernel
def on_stack(s, op: int) -> bool:
    """Say whether a sequence of a kind is under way or suspended."""
    for k in range(int(s.frame_count)):
        if s.frames[k].op == op:
            return True
    return False
