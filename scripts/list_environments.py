"""`broodmind list`: the environments, their agents and spaces, and the shipped checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from broodmind.agents.card import Card


def list_environments(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the environments: ids, agents, sizes of their spaces, and what they are about."""
    import json

    from rich.table import Table

    import broodmind
    from broodmind.agents.checkpoint import SHIPPED, read_card, shipped_names
    from broodmind.envs.core.registration import game_of
    from broodmind.scripts import common

    def played(card: Card) -> set[str]:
        return {environment.id for environment in card.plays}

    shipped = {name: read_card(SHIPPED / name) for name in shipped_names()}
    rows: list[dict[str, Any]] = []
    for env_id in broodmind.env_ids():
        game = game_of(env_id)
        mission = game.mission(env_id)
        rows.append(
            {
                "id": env_id,
                "game": game.title,
                "mission": mission.title,
                "agents": list(game.agents),
                "actions": game.actions.size,
                "observation": game.observation.size,
                "max_turns": mission.max_turns,
                "layouts": list(mission.layouts),
                "summary": mission.summary,
                "checkpoints": [name for name, card in shipped.items() if env_id in played(card)],
            }
        )
    if as_json:
        common.say(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    table = Table(title="Environments", title_justify="left", show_lines=True)
    for column in ("id", "agents", "actions", "observation"):
        table.add_column(column, overflow="fold")  # names are never cut
    for row in rows:
        table.add_row(row["id"], "\n".join(row["agents"]), str(row["actions"]), str(row["observation"]))
    output = common.console()
    output.print(table)
    for row in rows:
        title = f"{row['id']} ({row['game']}: {row['mission']})"
        output.print(f"{title}: {row['summary']}", markup=False, highlight=False)
    for name, card in shipped.items():
        output.print(f"checkpoint:{name}: trained on {card.made_for()}", markup=False, highlight=False)
    output.print("\nPlay one: broodmind play ID; train both sides: broodmind train ID", highlight=False)
