"""Starting a run from a checkpoint, perhaps of another mission of the game, instead of from new weights."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from broodmind.agents.checkpoint import Checkpoint, find_checkpoint, load_checkpoint, read_card
from broodmind.agents.network import Architecture
from broodmind.envs.core.errors import CheckpointError, ConfigError
from broodmind.envs.core.schema import shared_game
from broodmind.training.action_head import row_heads
from broodmind.training.config import TrainingConfig


def load_initial(config: TrainingConfig, agent: str) -> Checkpoint:
    """Return the checkpoint that an agent of a run starts from.

    Args:
        config: Its `initial` names the checkpoint.
        agent: The agent.

    Raises:
        CheckpointError: There is none, it is damaged or another agent's, or its network has other layers than the
            configuration; the message says which.
        ConfigError: It plays another game.
    """
    folder = find_checkpoint(config.initial, config.env_ids[0], agent)
    data = config.data or None
    trained_on = read_card(folder).environments[0].id
    try:
        game = shared_game((trained_on, *config.env_ids), data)
    except ConfigError:
        raise ConfigError(
            f"initial = {config.initial!r}: it was trained on {trained_on}; expected a checkpoint of a mission of the "
            f"game of {config.env_ids[0]}"
        ) from None
    checkpoint = load_checkpoint(folder, trained_on, agent, data)
    expected = Architecture(
        game.observation.size,
        game.actions.size,
        policy=config.hidden,
        value=config.value_hidden,
        activation=config.activation,
        row_heads=row_heads(game, config.row_units),
    )
    found = checkpoint.network.architecture
    without_compass = tuple(dataclasses.replace(head, compass=None) for head in expected.row_heads)
    if found not in (
        expected,
        dataclasses.replace(expected, row_heads=without_compass),
        dataclasses.replace(expected, row_heads=()),
    ):
        raise CheckpointError(
            f"initial = {config.initial!r}: its network is {found.to_dict()}; expected {expected.to_dict()} "
            "(set hidden, value_hidden, row_units and activation to those of the checkpoint)"
        )
    return checkpoint


def initial_weights(config: TrainingConfig, agent: str, before: Path | None) -> dict[str, str]:
    """Return what cards of a run tell of the checkpoint that it started from: nothing if it started from none.

    Args:
        config: The configuration.
        agent: The agent.
        before: Its checkpoint of the generation before (None: this is the first): the checkpoint to start from need
            not be there any more when a run goes on.

    Raises:
        CheckpointError, ConfigError: As `load_initial`.
    """
    if not config.initial:
        return {}
    if before is None:
        return {"initial_weights": load_initial(config, agent).card.weights_sha256}
    return {"initial_weights": str(read_card(before).training.get("initial_weights", ""))}
