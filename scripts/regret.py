"""`broodmind regret`: what one other choice would be worth to the scripted players."""

from __future__ import annotations

from typing import Annotated

import typer


def regret(
    env_id: Annotated[
        str, typer.Argument(metavar="ID", help="Environment id, or several as `evaluate` takes them.")
    ],
    agent: Annotated[
        str | None, typer.Option(help="The agent that may choose otherwise; each in turn, if not given.")
    ] = None,
    positions: Annotated[int, typer.Option(min=2, help="Positions to look at.")] = 500,
    worlds: Annotated[
        int, typer.Option(min=2, help="Imagined worlds that each action is tried in (an even number).")
    ] = 200,
    most_actions: Annotated[int, typer.Option(min=2, help="Actions tried in a position at most.")] = 25,
    seed: Annotated[int, typer.Option(min=0, help="Seed; the same seed gives the same table.")] = 0,
    layout: Annotated[
        str | None, typer.Option(help="Layout of the boards; the first that a mission has, if not given.")
    ] = None,
) -> None:
    """Measure how much a scripted player could gain by one other choice, against the other scripted player.

    The gain is in units of reward (-1 to 1), per decision. Where its interval holds zero, no single other choice that
    could be found is better: what remains is luck, or plans of several choices. The value is the scripted player's mean
    reward in the positions looked at, and the spread says how far apart the values of actions are.

    Example: broodmind regret macragge/crash-site-v0 --agent tyranids_0
    """
    from rich.table import Table

    from broodmind.envs.core.registration import select_ids
    from broodmind.envs.core.schema import shared_game
    from broodmind.scripts import common
    from broodmind.training.regret import Regret, scripted_regret

    ids = select_ids(env_id)
    agents = [agent] if agent is not None else list(shared_game(ids, None).agents)
    common.warm_up(ids[0], batch=True)
    found: list[Regret] = []
    with common.progress() as bars:
        task = bars.add_task("positions", total=positions * len(ids) * len(agents))
        for name in ids:
            for one in agents:
                before = positions * len(found)
                found.append(
                    scripted_regret(
                        name,
                        one,
                        positions,
                        worlds,
                        most_actions,
                        seed,
                        layout,
                        lambda done, before=before: bars.update(task, completed=before + done),  # type: ignore[misc]
                    )
                )
    table = Table(title="what one other choice is worth to a scripted player")
    for column in ("environment", "agent", "positions", "actions", "value", "spread", "gain (95%)"):
        table.add_column(column, justify="left" if column in {"environment", "agent"} else "right")
    for row in found:
        low, high = row.interval
        table.add_row(
            row.env_id,
            row.agent,
            f"{row.positions}",
            f"{row.actions:.1f}",
            f"{row.value:+.3f}",
            f"{row.spread:.3f}",
            f"{row.gain:+.4f} ({low:+.4f} to {high:+.4f})",
        )
    common.console().print(table)
