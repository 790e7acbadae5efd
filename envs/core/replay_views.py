"""Replays in words and pictures, of everything or as one agent sees it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from broodmind.envs.core.errors import ReplayError
from broodmind.envs.core.replay import Replay, simulate, write_atomically

if TYPE_CHECKING:
    from broodmind.envs.core.game import Event
    from broodmind.envs.core.scene import Scene


def told(replay: Replay, agent: str | None = None) -> Iterator[tuple[str, list[Event]]]:
    """Play a replay again and yield what was decided, and what happened then, from the set-up (no decision) on.

    Args:
        replay: The replay.
        agent: Who is told: decisions of the other side as far as it sees them; None: everything.

    Raises:
        ReplayError: A step comes out differently, or nobody is called that.
    """
    words = ""
    for number, env in simulate(replay):
        seat = seat_of(env.possible_agents, agent)
        yield words, env.events()
        if number < len(replay.steps):
            step = replay.steps[number]
            foreign = seat is not None and step.agent != agent
            words = env.game.told_label(env.states, 0, step.action) if foreign else step.name
            words = f"{step.agent}: {words}"


def seat_of(agents: Sequence[str], agent: str | None) -> int | None:
    """Return the seat of an agent; None of nobody.

    Raises:
        ReplayError: Nobody is called that.
    """
    if agent is None:
        return None
    if agent not in agents:
        raise ReplayError(f"there is no agent {agent!r}; the agents are {', '.join(agents)}")
    return agents.index(agent)


def scenes(replay: Replay, most: int = 0, agent: str | None = None) -> Iterator[Scene]:
    """Play a replay again and yield its positions as scenes, with what happened before each.

    Args:
        replay: The replay.
        most: At most about so many scenes, evenly spaced, first and last included; 0: one per decision.
        agent: Who looks; None: everything is shown.

    Raises:
        ReplayError: A step comes out differently.
    """
    last = len(replay.steps)
    stride = -(-last // max(most - 1, 1)) if most else 1
    happened: list[Event] = []
    for number, env in simulate(replay):
        happened += env.events()
        if number % max(stride, 1) == 0 or number == last:
            yield env.game.scene(env.states, 0, seat_of(env.possible_agents, agent), happened[-6:])
            happened = []


def write_svg(
    replay: Replay, path: str | os.PathLike[str], step: int | None = None, agent: str | None = None
) -> Path:
    """Write the position after a step as an SVG picture.

    Args:
        replay: The replay.
        path: Where to write.
        step: Number of decisions taken, 0 for the start; None for the last position.
        agent: As in `scenes`.

    Raises:
        ReplayError: There is no such step, a step comes out differently, or the file cannot be written.
    """
    from broodmind.envs.core.render import to_svg

    wanted = len(replay.steps) if step is None else step
    if not 0 <= wanted <= len(replay.steps):
        raise ReplayError(f"there is no step {wanted}; this replay has steps 0 to {len(replay.steps)}")
    for number, env in simulate(replay):
        if number == wanted:
            seat_of(env.possible_agents, agent)
            return write_atomically(path, to_svg(env.scene(agent)))
    raise AssertionError("unreachable: the step is in range")


def write_gif(
    replay: Replay,
    path: str | os.PathLike[str],
    milliseconds: int = 400,
    height: int | None = None,
    most: int = 150,
    agent: str | None = None,
) -> Path:
    """Write a whole game as an animated picture.

    Args:
        replay: The replay.
        path: Where to write; missing folders are made.
        milliseconds: How long each picture shows; the last one stays four times as long.
        height: Of the pictures in pixels; None: two thirds of `to_rgb`'s, 480 unless the board is large.
        most: At most about so many pictures.
        agent: As in `scenes`.

    Raises:
        ReplayError: A step comes out differently, or the file cannot be written.
    """
    from broodmind.envs.core.render import framed, to_gif, to_rgb
    from broodmind.envs.core.render_page import lay_out

    target = Path(path)
    # The boards of a campaign differ in size.
    frames = framed(
        [
            to_rgb(scene, height or round(lay_out(scene).height * 2 / 3))
            for scene in scenes(replay, most, agent)
        ]
    )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        to_gif(frames, target, [milliseconds] * (len(frames) - 1) + [4 * milliseconds])
    except OSError as error:
        raise ReplayError(f"cannot write {target}: {error.strerror or error}; choose another file") from error
    return target
