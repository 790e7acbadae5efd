"""The card of a checkpoint: what programs read (card.json), and from it what people read (README.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from broodmind.envs.core.errors import CheckpointError
from broodmind.envs.core.game import data_name
from broodmind.envs.core.schema import env_version

FORMAT = 1
"""Version of the format; raised by changes that older readers could not read."""

LIBRARIES = ("broodmind", "numpy", "torch", "safetensors", "stable-baselines3", "sb3-contrib")
"""Libraries whose versions a card records."""

HIGHEST_TEMPERATURE = 100
"""Beyond this every legal action is as likely as every other."""


@dataclass(frozen=True)
class TrainedFor:
    """An environment that a checkpoint plays: trained on, or held out of training.

    Args:
        id: The environment id; its version is part of it.
        schema_hash: See `envs.core.schema`.
        rules_hash: See `envs.core.schema`.
        data_hash: Hash of the data that took the place of the packaged ones (`Game.data_hash`); empty: none did.
    """

    id: str
    schema_hash: str
    rules_hash: str
    data_hash: str = ""

    @property
    def version(self) -> int:
        """The version of the environment."""
        return env_version(self.id)

    def to_dict(self) -> dict[str, Any]:
        """Return the environment as JSON-able values."""
        row = {
            "id": self.id,
            "version": self.version,
            "schema_hash": self.schema_hash,
            "rules_hash": self.rules_hash,
        }
        return {**row, "data_hash": self.data_hash} if self.data_hash else row

    @classmethod
    def from_dict(cls, row: object, source: str, key: str) -> TrainedFor:
        """Return the environment that `to_dict` described.

        Args:
            row: What was read from JSON.
            source: What error messages call the card.
            key: The list of the card that it is in.

        Raises:
            CheckpointError: Something is missing or contradicts itself.
        """
        if not isinstance(row, Mapping) or not all(
            isinstance(row.get(name), str) for name in ("id", "schema_hash", "rules_hash")
        ):
            raise CheckpointError(
                f"{source} is damaged: each of {key!r} needs id, schema_hash and rules_hash"
            )
        if not isinstance(row.get("data_hash", ""), str):
            raise CheckpointError(f"{source} is damaged: data_hash {row['data_hash']!r} is no text")
        if not re.fullmatch(r"[\w-]+/[\w-]+-v\d+", row["id"]):
            raise CheckpointError(
                f"{source} is damaged: {row['id']!r} is not an environment id (game/mission-v0)"
            )
        if row.get("version") != env_version(row["id"]):
            raise CheckpointError(
                f"{source} is damaged: version {row.get('version')!r} contradicts id {row['id']}"
            )
        return cls(row["id"], row["schema_hash"], row["rules_hash"], row.get("data_hash", ""))


@dataclass(frozen=True)
class Card:
    """What a checkpoint is for, how it was made and how strong it is.

    Args:
        environments: The environments it was trained on, at least one.
        agent: The seat it plays.
        architecture: See `network.Architecture.to_dict`.
        weights_sha256: Checksum of the weights file, 64 hexadecimal digits.
        training: The training configuration, as the trainer wrote it.
        seeds: Seeds by purpose (``{"train": 0}``).
        versions: Versions of Python and of the `LIBRARIES`.
        evaluation: The evaluation table: one JSON-able row per match-up (see `training.evaluate`).
        notes: One or two sentences for people.
        held_out: Environments that were held out of its training; it plays those too.
        temperature: How it plays unless its spec says otherwise, see `network.NetworkPolicy`; 0: its best action.
    """

    environments: tuple[TrainedFor, ...]
    agent: str
    architecture: dict[str, Any]
    weights_sha256: str
    training: dict[str, Any] = field(default_factory=dict)
    seeds: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    evaluation: list[dict[str, Any]] = field(default_factory=list)
    notes: str = ""
    held_out: tuple[TrainedFor, ...] = ()
    temperature: float = 0.0

    @property
    def plays(self) -> tuple[TrainedFor, ...]:
        """All environments it plays, those it was trained on first."""
        return self.environments + self.held_out

    def made_for(self) -> str:
        """Say in words what it was trained on, and what was held out."""
        text = ", ".join(environment.id for environment in self.environments)
        held_out = ", ".join(environment.id for environment in self.held_out)
        return f"{text} (held out: {held_out})" if held_out else text

    def to_dict(self) -> dict[str, Any]:
        """Return the card as JSON-able values."""
        return {
            "format": FORMAT,
            "environments": [environment.to_dict() for environment in self.environments],
            "held_out": [environment.to_dict() for environment in self.held_out],
            "agent": self.agent,
            "architecture": self.architecture,
            "weights_sha256": self.weights_sha256,
            "training": self.training,
            "seeds": self.seeds,
            "versions": self.versions,
            "evaluation": self.evaluation,
            "notes": self.notes,
            "temperature": self.temperature,
        }

    @classmethod
    def from_dict(cls, data: object, source: str = "card") -> Card:
        """Return the card that `to_dict` described.

        Args:
            data: What was read from JSON.
            source: What error messages call it.

        Raises:
            CheckpointError: Something is missing or of the wrong type.
        """
        if not isinstance(data, Mapping):
            raise CheckpointError(f"{source} is not a checkpoint card: expected a JSON object")
        if data.get("format") != FORMAT:
            raise CheckpointError(
                f"{source} has format {data.get('format')!r}, this broodmind reads format {FORMAT}; "
                "install the version that wrote it or export the checkpoint anew"
            )
        data = {"held_out": [], "temperature": 0.0, **data}  # which cards did not have at first
        types: dict[str, Any] = {
            "environments": list,
            "held_out": list,
            "agent": str,
            "architecture": dict,
            "weights_sha256": str,
            "training": dict,
            "seeds": dict,
            "versions": dict,
            "evaluation": list,
            "notes": str,
            "temperature": (int, float),
        }
        for key, kind in types.items():
            if not isinstance(data.get(key), kind):
                wanted = "number" if isinstance(kind, tuple) else kind.__name__
                raise CheckpointError(f"{source} is damaged: {key!r} is missing or not a {wanted}")
        if not 0 <= data["temperature"] <= HIGHEST_TEMPERATURE:
            raise CheckpointError(
                f"{source} is damaged: 'temperature' is {data['temperature']}, not within 0..{HIGHEST_TEMPERATURE}"
            )
        values = {key: data[key] for key in types}
        for key in ("environments", "held_out"):
            values[key] = tuple(TrainedFor.from_dict(row, source, key) for row in data[key])
        if not values["environments"]:
            raise CheckpointError(f"{source} is damaged: 'environments' is empty")
        return cls(**values)


def readme(card: Card) -> str:
    """Return the readable card, as Markdown."""
    ids = [environment.id for environment in card.environments]
    architecture = card.architecture
    layers = {name: architecture.get(name) or "none" for name in ("trunk", "policy", "value")}
    lines = [
        f"# {card.agent} of {card.made_for()}",
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
        f"* Plays {_manner(card.temperature)}.",
        f"* Weights: `policy.safetensors`, SHA-256 `{card.weights_sha256}`.",
        *(
            f"* {environment.id}: schema `{environment.schema_hash[:12]}`, "
            f"rules `{environment.rules_hash[:12]}`, {data_name(environment.data_hash)}."
            for environment in card.plays
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


def _manner(temperature: float) -> str:
    if not temperature:
        return "its best action"
    return f"an action drawn at temperature {temperature:g} (`?temperature=0`: its best action)"


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
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_cell(part)}" for name, part in value.items())
    return str(value).replace("|", "\\|").replace("\n", " ")


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items()) or "none recorded"
