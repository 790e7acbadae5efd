"""`broodmind list`: the environments, their agents and spaces, and the shipped checkpoints."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from broodmind.agents.card import Card


LENGTHS = Path(__file__).with_name("episode_lengths.toml")
"""How long random games are, as ``python docs/generate.py --lengths`` measured it."""


def list_environments(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the environments: agents, sizes of the spaces, length of random games, checkpoints, summaries."""
    import json

    from rich.table import Table

    import broodmind
    from broodmind.agents.checkpoint import SHIPPED, read_card, shipped_names
    from broodmind.envs.core.registration import game_of
    from broodmind.scripts import common

    def played(card: Card) -> set[str]:
        return {environment.id for environment in card.plays}

    def trained(env_id: str, parts: Collection[str] = ()) -> set[str]:
        agents = {card.agent for card in shipped.values() if env_id in played(card)}
        return agents.union(set.intersection(*map(trained, parts)) if parts else ())

    shipped = {name: read_card(SHIPPED / name) for name in shipped_names()}
    lengths: dict[str, int] = tomllib.loads(LENGTHS.read_text(encoding="utf-8"))["decisions"]
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
                "mean_decisions": lengths.get(env_id),
                "max_turns": mission.max_turns,
                "layouts": list(mission.layouts),
                "summary": mission.summary,
                "checkpoints": [name for name, card in shipped.items() if env_id in played(card)],
                "trained_agents": sorted(trained(env_id, mission.parts)),
            }
        )
    if as_json:
        common.say(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    table = Table(title="Environments", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for column in ("id", "agents", "actions", "numbers", "length"):
        table.add_column(column, overflow="fold", no_wrap=column == "id")  # names are never cut
    for row in rows:
        agents = [name + " *" * (name in row["trained_agents"]) for name in row["agents"]]
        sizes = [str(row[key] or "?") for key in ("actions", "observation", "mean_decisions")]
        table.add_row(row["id"], "\n".join(agents), *sizes)
    output = common.console()
    output.print(table)
    output.print("* a trained policy is shipped for this agent: checkpoint:shipped", highlight=False)
    output.print(
        "numbers: size of an observation; length: decisions of an episode of random play, on average\n"
    )
    for row in rows:
        title = f"{row['id']} ({row['game']}: {row['mission']})"
        output.print(f"{title}: {row['summary']}", markup=False, highlight=False)
    for name, card in shipped.items():
        output.print(f"checkpoint:{name}: trained on {card.made_for()}", markup=False, highlight=False)
    output.print("\nPlay one: broodmind play ID; train both sides: broodmind train ID", highlight=False)
