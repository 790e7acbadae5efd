"""The readable card of a checkpoint (its README.md), from the card that programs read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from broodmind.agents.checkpoint import Card


def readme(card: Card) -> str:
    """Return the readable card, as Markdown."""
    ids = [environment.id for environment in card.environments]
    architecture = card.architecture
    layers = {name: architecture.get(name) or "none" for name in ("trunk", "policy", "value")}
    lines = [
        f"# {card.agent} of {', '.join(ids)}",
        "",
        card.notes or "A trained policy of broodmind.",
        "",
        "```",
        f'broodmind evaluate {ids[0]} --seats "{card.agent}=checkpoint:THIS_FOLDER" --games 1000',
        f"broodmind play {ids[0]} --against checkpoint:THIS_FOLDER",
        "```",
        "",
        f"* Network: {architecture.get('observation_size')} numbers in, "
        f"{architecture.get('action_count')} actions out; "
        f"hidden layers: shared {layers['trunk']}, policy {layers['policy']}, value {layers['value']}; "
        f"{architecture.get('activation')}.",
        f"* Weights: `policy.safetensors`, SHA-256 `{card.weights_sha256}`.",
        *(
            f"* {environment.id}: schema `{environment.schema_hash[:12]}`, "
            f"rules `{environment.rules_hash[:12]}`."
            for environment in card.environments
        ),
        f"* Made with {_pairs(card.versions)}.",
        f"* Seeds: {_pairs(card.seeds)}.",
        "",
    ]
    if card.evaluation:
        lines += ["## Strength", "", *markdown_table(card.evaluation), ""]
    if card.training:
        lines += [
            "## Training",
            "",
            *markdown_table([{"setting": k, "value": v} for k, v in card.training.items()]),
            "",
        ]
    return "\n".join(lines)


def markdown_table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return rows with named columns as the lines of a Markdown table; numbers are rounded to four digits."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [f"| {' | '.join(columns)} |", f"| {' | '.join('---' for _ in columns)} |"]
    lines += [f"| {' | '.join(_cell(row.get(column, '')) for column in columns)} |" for row in rows]
    return lines


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(_cell(part) for part in value)
    return str(value).replace("|", "\\|").replace("\n", " ")


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items()) or "none recorded"
