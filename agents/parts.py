"""Checkpoints as players, also of an environment that is played through other missions, such as a campaign.

A checkpoint plays the environments on its card. A campaign need not be on it: the missions that it is played through
(`Mission.parts`) are environments of their own, and each is played by the checkpoint for it. That may be one checkpoint
for all of them or another one for each.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broodmind.agents.checkpoint import Checkpoint, check_card, find_checkpoint, load_checkpoint, read_card
from broodmind.agents.seeds import ActFromSeeds, SeededPolicy
from broodmind.envs.core.errors import CheckpointError
from broodmind.envs.core.game import Game
from broodmind.envs.core.registration import game_of
from broodmind.envs.core.schema import ALL

Folder = str | os.PathLike[str] | None


class PartsPolicy(ActFromSeeds):
    """Plays each part of an environment by the policy for it.

    Args:
        spec: See `Policy`.
        policies: A policy for each part, in order; one may play several.
        columns: For each part, the position in the observation of the number that is 1 while it is played.
        held_out: Ids of environments that none of the policies was trained on, so that tables can mark them.

    Raises:
        ValueError: There is not one column for each policy, or a policy asks for positions.
    """

    def __init__(
        self,
        spec: str,
        policies: Sequence[SeededPolicy],
        columns: Sequence[int],
        held_out: tuple[str, ...] = (),
    ) -> None:
        if len(policies) != len(columns) or not policies:
            raise ValueError(
                f"{spec}: expected a column for each policy, got {len(columns)} and {len(policies)}"
            )
        if any(policy.needs_position for policy in policies):
            raise ValueError(f"{spec}: parts are told apart by observations, so no policy may need positions")
        self.spec = spec
        self.held_out = held_out
        self.policies = list({id(policy): policy for policy in policies}.values())
        self._columns = np.array(columns)
        self._player = np.array([self.policies.index(policy) for policy in policies])

    def act_seeded(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        seeds: NDArray[np.int64],
        positions: NDArray[np.void] | None = None,
    ) -> NDArray[np.int64]:
        """Choose for many games, see `SeededPolicy.act_seeded`.

        Raises:
            ValueError: An observation is of none of the parts, or as the policies say.
        """
        if observations.ndim != 2 or observations.shape[1] <= self._columns.max():
            raise ValueError(f"{self.spec}: expected a row of an observation for each game")
        shown = observations[:, self._columns]
        if (shown.max(axis=1, initial=0.0) <= 0).any():
            raise ValueError(f"{self.spec}: an observation does not show which part is played")
        players = self._player[shown.argmax(axis=1)]
        actions = np.empty(len(seeds), np.int64)
        for number in np.unique(players):
            rows = np.flatnonzero(players == number)
            policy = self.policies[number]
            actions[rows] = policy.act_seeded(observations[rows], masks[rows], seeds[rows])
        return actions


def checkpoint_policy(
    name: str, env_id: str, agent: str, data: Folder, spec: str, temperature: float | None
) -> ActFromSeeds:
    """Return the player that a checkpoint's name means.

    An environment with parts is played by the checkpoint whose card names it. Where there is none, and where the
    shipped one is for all missions of the game and some of them have their own, each part is played by the checkpoint
    that the name means there.

    Args:
        name: As in `find_checkpoint`.
        env_id: The environment it is to play.
        agent: The seat it is to play.
        data: The data that the game is played on, as `broodmind.make` takes it.
        spec: How tables and replays name the player.
        temperature: As in `NetworkPolicy`; None: that of each card.

    Raises:
        CheckpointError: There is no such checkpoint, or it cannot be used here.
        UnknownEnvironmentError: No environment has that id.
    """
    game = game_of(env_id, data)
    parts = game.mission(env_id).parts
    if not parts:
        folder = find_checkpoint(name, env_id, agent)
        return load_checkpoint(folder, env_id, agent, data).policy(spec, temperature)
    whole = _whole(name, env_id, agent)
    if whole is None or (name == "shipped" and whole.parent.name == ALL):
        try:
            return _of_parts(name, env_id, agent, data, spec, temperature, game, parts)
        except CheckpointError as error:
            if whole is None:
                raise CheckpointError(f"{spec} cannot play {env_id} mission by mission: {error}") from None
    return load_checkpoint(whole, env_id, agent, data).policy(spec, temperature)


def _whole(name: str, env_id: str, agent: str) -> Path | None:
    """Return the folder of the checkpoint that plays an environment as a whole, if the name means one."""
    try:
        folder = find_checkpoint(name, env_id, agent)
    except CheckpointError:
        return None
    return folder if any(played.id == env_id for played in read_card(folder).plays) else None


def _of_parts(
    name: str,
    env_id: str,
    agent: str,
    data: Folder,
    spec: str,
    temperature: float | None,
    game: Game,
    parts: Mapping[str, str],
) -> ActFromSeeds:
    """Return the player of an environment's parts."""
    loaded: dict[Path, Checkpoint] = {}
    players: dict[Path, SeededPolicy] = {}
    folders = [find_checkpoint(name, part, agent) for part in parts]
    for folder, part in zip(folders, parts, strict=True):
        if folder in loaded:
            check_card(loaded[folder].card, str(folder), part, agent, data)
        else:
            loaded[folder] = load_checkpoint(folder, part, agent, data)
            players[folder] = loaded[folder].policy(spec, temperature)
    columns = [game.observation.column(feature) for feature in parts.values()]
    return PartsPolicy(spec, [players[folder] for folder in folders], columns, (env_id,))
