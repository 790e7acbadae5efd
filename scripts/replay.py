"""`broodmind replay`: shows, verifies and draws recorded games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from broodmind.envs.core.errors import ReplayError

if TYPE_CHECKING:
    from broodmind.envs.core.replay import Replay


def replay(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A replay, as play, demo and the library write them.")
    ],
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Play it again and confirm every state, or name the first step that differs."
        ),
    ] = False,
    gif: Annotated[
        Path | None, typer.Option(metavar="FILE.gif", help="Write the game as an animated picture.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Write one position as an SVG picture.")
    ] = None,
    step: Annotated[
        int | None,
        typer.Option(
            help="With --svg or --board: the position after so many decisions; the last if not given."
        ),
    ] = None,
    board: Annotated[bool, typer.Option("--board", help="Draw one position as text.")] = False,
    agent: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="AGENT",
            help="Show what this agent sees: hidden cards stay hidden, in words and pictures.",
        ),
    ] = None,
    milliseconds: Annotated[
        int, typer.Option(min=20, max=10000, help="With --gif: how long each picture shows.")
    ] = 400,
    height: Annotated[
        int | None,
        typer.Option(
            min=120,
            max=2160,
            help="With --gif: height in pixels; 480, or more for a large board, if not given.",
        ),
    ] = None,
    events: Annotated[
        bool, typer.Option("--events", help="Tell what happened in sentences beside the decisions.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The data files it was played on, if not the game's own."),
    ] = None,
) -> None:
    """Show a recorded game; verify it, or export it as pictures.

    Without options the decisions are listed with the agent that took them. A replay that comes out
    differently with --verify ends with exit code 2.
    """
    from broodmind.envs.core import replay as replays
    from broodmind.envs.core import replay_views as views
    from broodmind.envs.core.registration import game_of
    from broodmind.scripts import common

    recorded = replays.read(file, data=data)
    views.seat_of(game_of(recorded.env_id).agents, agent)
    output = common.console()
    common.say(_headline(recorded))
    if remark := replays.rules_remark(recorded):
        common.say(f"note: {remark}")
    if verify or gif or svg or board or events or agent:
        with common.compile_notice(game_of(recorded.env_id)):
            next(replays.simulate(recorded, check=False))
    if verify:
        found = replays.verify(recorded)
        if not found.matches:
            raise ReplayError(f"{file}: {found.message}")
        common.say(f"verified: {found.message}")
    if gif:
        with output.status("drawing..."):
            written = views.write_gif(recorded, gif, milliseconds, height, agent=agent)
        common.say(f"animated picture: {written}")
    if svg:
        common.say(f"picture: {views.write_svg(recorded, svg, step, agent)}")
    if board:
        _draw(recorded, step, agent)
    if events or not (verify or gif or svg or board):
        _tell(recorded, events, agent)


def _headline(recorded: Replay) -> str:
    """Return one line about a replay."""
    result = recorded.result
    if not recorded.finished:
        ending = "not finished"
    elif result.get("truncated"):
        ending = "stopped at the limit of turns"
    else:
        ending = ", ".join(f"{agent} {reward:+g}" for agent, reward in result.get("rewards", {}).items())
    players = ", ".join(f"{agent}: {spec}" for agent, spec in recorded.policies.items())
    return f"{recorded.env_id}, seed {recorded.seed}, {len(recorded.steps)} decisions; {players}; {ending}"


def _draw(recorded: Replay, step: int | None, agent: str | None) -> None:
    """Print one position as text."""
    from broodmind.envs.core import replay as replays
    from broodmind.envs.core import replay_views as views
    from broodmind.scripts import common

    wanted = len(recorded.steps) if step is None else step
    if not 0 <= wanted <= len(recorded.steps):
        raise ReplayError(f"there is no step {wanted}; this replay has steps 0 to {len(recorded.steps)}")
    for number, env in replays.simulate(recorded):
        if number == wanted:
            common.say(env.game.text_board(env.states, 0, views.seat_of(env.possible_agents, agent)))
            return


def _tell(recorded: Replay, events: bool, agent: str | None) -> None:
    """Print the decisions, as far as an agent sees them, with what happened in between if asked for."""
    from broodmind.envs.core import replay_views as views
    from broodmind.scripts import common

    if not events and agent is None:
        for number, step in enumerate(recorded.steps, 1):
            common.say(f"{number:>4}  {step.agent}: {step.name}")
        return
    for number, (decision, happened) in enumerate(views.told(recorded, agent)):
        if number:
            common.say(f"{number:>4}  {decision}")
        for event in happened if events else ():
            common.say(f"        - {event.sentence}")
