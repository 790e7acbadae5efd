"""Checkpoints: a folder with weights, a card for programs and a card for people.

    policy.safetensors   the weights, float32, in the names of `network.PolicyValueNetwork`
    card.json            what they are for, how they were made, how strong they are (`card.Card`)
    README.md            the same for people

Loading needs torch and safetensors only, and nothing in a checkpoint is ever unpickled or executed. Refused,
with a `CheckpointError` of one sentence: a file that is missing, truncated, damaged or not ours; another
seat, environment, version, schema (`envs.core.schema.schema_hash`) or data (`Game.with_data`); weights that do
not fit the architecture or are not finite. Not refused: rules whose *sources* differ from those trained under
(`schema.rules_hash`), since code may be tidied without changing a rule and a changed rule raises the version;
`verify` mentions it.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from broodmind.agents.card import LIBRARIES, Card, TrainedFor
from broodmind.envs.core.errors import CheckpointError
from broodmind.envs.core.game import Game, data_name
from broodmind.envs.core.registration import game_of
from broodmind.envs.core.schema import ALL, env_folder, rules_hash, schema_hash, shared_game

if TYPE_CHECKING:
    from torch import Tensor

    from broodmind.agents.network import NetworkPolicy, PolicyValueNetwork

WEIGHTS, CARD, README = "policy.safetensors", "card.json", "README.md"
Folder = str | os.PathLike[str] | None
LARGEST_CARD = 16 * 2**20
LARGEST_WEIGHTS = 4 * 2**30

SHIPPED = Path(__file__).resolve().parent.parent / "checkpoints"
"""The folder of the checkpoints that come with the package: ``<game>/<mission>/<agent>``.

One of several missions of a game lies in ``<game>/all/<agent>``.
"""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint in memory.

    Args:
        folder: Where it was read from.
        card: Its card.
        network: Its network, in evaluation mode.
    """

    folder: Path
    card: Card
    network: PolicyValueNetwork

    def policy(self, spec: str | None = None, temperature: float | None = None) -> NetworkPolicy:
        """Return the checkpoint as a policy; arguments as in `NetworkPolicy`, temperature None: the card's."""
        from broodmind.agents.network import NetworkPolicy

        held_out = tuple(environment.id for environment in self.card.held_out)
        if temperature is None:
            temperature = self.card.temperature
        return NetworkPolicy(self.network, spec or f"checkpoint:{self.folder}", temperature, held_out)


# -- finding -------------------------------------------------------------------------------------------------


def shipped_names() -> list[str]:
    """Return the names of the checkpoints that come with the package (``game/mission/agent``)."""
    return sorted(path.parent.relative_to(SHIPPED).as_posix() for path in SHIPPED.glob(f"*/*/*/{CARD}"))


def find_checkpoint(name: str, env_id: str, agent: str) -> Path:
    """Return the folder that a checkpoint's name means.

    Args:
        name: ``shipped`` (the one that comes with the package for this environment and agent, else the one for
            several missions of its game), the name of one that comes with it
            (``macragge/crash-site/ultramarines_0``, ``macragge/all``), or the path of a checkpoint's folder; of a
            folder with one checkpoint per agent, that agent's is taken, of one with a folder per mission, that of the
            mission at hand.
        env_id: The environment it is to play.
        agent: The seat it is to play.

    Raises:
        CheckpointError: There is none; the message says where it was looked for.
    """
    if name == "shipped":
        mission = SHIPPED / env_folder(env_id)
        for folder in (mission / agent, mission.with_name(ALL) / agent):
            if (folder / CARD).is_file():
                return folder
        raise CheckpointError(
            f"no checkpoint for {agent} of {env_id} comes with broodmind (looked for {mission / agent}); "
            f"shipped: {', '.join(shipped_names()) or 'none'}; train one with 'broodmind train {env_id}'"
        )
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # "~nobody"
        path = Path(name)
    places = [path, path / agent, path / env_folder(env_id).partition("/")[2] / agent]
    if re.fullmatch(r"[\w-]+/[\w-]+(/[\w-]+)?", name):
        places = [SHIPPED / name, SHIPPED / name / agent, *places]
    for folder in places:
        if _holds_card(folder):
            return folder
    raise CheckpointError(
        f"there is no checkpoint {name[:200]!r}: no {CARD} in "
        f"{', nor in '.join(str(place)[:200] for place in places)}; "
        "expected a folder written by export, 'shipped', or one of: "
        f"{', '.join(shipped_names()) or '(none shipped)'}"
    )


def _holds_card(folder: Path) -> bool:
    try:
        return (folder / CARD).is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


# -- reading -------------------------------------------------------------------------------------------------


def read_card(folder: Path) -> Card:
    """Read the card of a checkpoint.

    Raises:
        CheckpointError: It is missing, unreadable or damaged.
    """
    path = folder / CARD
    try:
        if path.stat().st_size > LARGEST_CARD:
            raise CheckpointError(
                f"{path} is larger than {LARGEST_CARD // 2**20} MiB: not a card of a checkpoint"
            )
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} is damaged or no JSON: {error}") from None
    return Card.from_dict(data, str(path))


def check_card(card: Card, source: str, env_id: str, agent: str, data: Folder = None) -> None:
    """Refuse a card that was not made for an environment and a seat.

    Args:
        card: The card.
        source: What error messages call it.
        env_id: The environment that is to be played.
        agent: The seat that is to be played.
        data: The data that the game is played on, as `broodmind.make` takes it.

    Raises:
        CheckpointError: Another seat, environment, version, schema or other data.
        UnknownEnvironmentError: No environment has that id.
    """
    game = game_of(env_id, data)
    if card.agent != agent:
        raise CheckpointError(f"{source} plays {card.agent}, not {agent}: give it that seat")
    found = next((environment for environment in card.plays if environment.id == env_id), None)
    if found is None:
        if any(env_folder(environment.id) == env_folder(env_id) for environment in card.plays):
            raise CheckpointError(
                f"{source} was trained for {card.made_for()}, another version than {env_id}: train it anew"
            )
        raise CheckpointError(f"{source} was trained for {card.made_for()}, not for {env_id}")
    expected = schema_hash(game, env_id)
    if found.schema_hash != expected:
        raise CheckpointError(
            f"{source} was trained on other observations or actions of {env_id} "
            f"(schema {found.schema_hash[:12]}, here {expected[:12]}): train it anew"
        )
    if found.data_hash != game.data_hash:
        raise CheckpointError(
            f"{source} was trained on {data_name(found.data_hash)} of {env_id}, this game has "
            f"{data_name(game.data_hash)}: play on the data that it knows (data=FOLDER, or none), or train it anew"
        )
    for name, size in (
        ("observation_size", game.observation.size),
        ("action_count", game.actions.size),
    ):
        if card.architecture.get(name) != size:
            raise CheckpointError(
                f"{source} is damaged: {name} {card.architecture.get(name)!r} is not the {size} of {env_id}"
            )


def load_checkpoint(
    folder: str | os.PathLike[str],
    env_id: str | None = None,
    agent: str | None = None,
    data: Folder = None,
) -> Checkpoint:
    """Read a checkpoint, checking everything.

    Args:
        folder: The checkpoint's folder.
        env_id: The environment it is to play; None: the first of its card.
        agent: The seat it is to play; None: that of its card.
        data: The data that the game is played on, as `broodmind.make` takes it.

    Raises:
        CheckpointError: It cannot be used; one sentence says why (see the module's documentation).
        UnknownEnvironmentError: Its environment is not registered.
    """
    folder = Path(folder)
    card = read_card(folder)
    check_card(card, str(folder), env_id or card.environments[0].id, agent or card.agent, data)
    return Checkpoint(folder, card, _read_network(folder / WEIGHTS, card))


def _read_network(path: Path, card: Card) -> PolicyValueNetwork:
    """Return the network of a weights file that the card describes."""
    import safetensors
    import safetensors.torch
    import torch

    from broodmind.agents.network import Architecture, PolicyValueNetwork

    try:
        if path.stat().st_size > LARGEST_WEIGHTS:
            raise CheckpointError(f"{path} is larger than {LARGEST_WEIGHTS // 2**30} GiB: not our weights")
        data = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != card.weights_sha256:
        raise CheckpointError(
            f"{path} is truncated or damaged: its checksum is not that in {CARD}; copy the checkpoint anew"
        )
    architecture = Architecture.from_dict(card.architecture)
    try:
        tensors = safetensors.torch.load(data)
    except (safetensors.SafetensorError, ValueError, KeyError) as error:
        raise CheckpointError(f"{path} is not a safetensors file: {error}") from None
    shapes = architecture.shapes()
    if set(tensors) != set(shapes):
        wrong = sorted(set(tensors) ^ set(shapes))
        raise CheckpointError(
            f"{path} does not fit its architecture: missing or unexpected {', '.join(wrong)}"
        )
    for name, tensor in tensors.items():
        if tuple(tensor.shape) != shapes[name] or tensor.dtype != torch.float32:
            raise CheckpointError(
                f"{path} does not fit its architecture: {name} is {tensor.dtype} {tuple(tensor.shape)}, "
                f"expected torch.float32 {shapes[name]}"
            )
        if not bool(torch.isfinite(tensor).all()):
            raise CheckpointError(
                f"{path}: {name} holds NaN or infinite weights, as after a diverged training; train it anew"
            )
    if architecture.normalise and bool((tensors["observation_std"] <= 0).any()):
        raise CheckpointError(f"{path}: observation_std must be above 0 everywhere")
    network = PolicyValueNetwork(architecture)
    network.load_state_dict(tensors)
    return network.eval()


def verify(folder: str | os.PathLike[str], data: Folder = None) -> list[str]:
    """Load a checkpoint for every environment of its card and return remarks that are no errors.

    Args:
        folder: The checkpoint's folder.
        data: The data that it was trained on, if those were others than the packaged ones.

    Raises:
        CheckpointError: It cannot be used.
        UnknownEnvironmentError: One of its environments is not registered.
    """
    folder = Path(folder)
    checkpoint = load_checkpoint(folder, data=data)
    remarks = []
    for environment in checkpoint.card.plays:
        check_card(checkpoint.card, str(folder), environment.id, checkpoint.card.agent, data)
        if environment.rules_hash != rules_hash(game_of(environment.id)):
            remarks.append(
                f"the sources of {environment.id}'s rules have changed since it was trained; the version is "
                "the same, so the rules should be"
            )
    return remarks


# -- writing -------------------------------------------------------------------------------------------------


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of `card.LIBRARIES` that are installed."""
    versions = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def trained_for(env_id: str, game: Game | None = None) -> TrainedFor:
    """Return an environment with the hashes it has now, for a card.

    Raises:
        UnknownEnvironmentError: No environment has that id.
    """
    game = game or game_of(env_id)
    return TrainedFor(env_id, schema_hash(game, env_id), rules_hash(game), game.data_hash)


def export_network(
    folder: str | os.PathLike[str],
    network: PolicyValueNetwork,
    env_ids: str | Sequence[str],
    agent: str,
    *,
    held_out: Sequence[str] = (),
    training: Mapping[str, Any] | None = None,
    seeds: Mapping[str, Any] | None = None,
    evaluation: Sequence[Mapping[str, Any]] = (),
    notes: str = "",
    temperature: float = 0.0,
    data: Folder = None,
) -> Card:
    """Write a checkpoint, atomically: the folder appears complete or not at all.

    An existing checkpoint in `folder` is replaced; it is moved aside first, so that there is always a
    complete one on the disk. Any other non-empty folder is refused.

    Args:
        folder: Where to.
        network: The network.
        env_ids: The environment id, or several that the network was trained on.
        agent: The seat.
        held_out: Ids of environments that were held out of its training.
        training: The training configuration, JSON-able.
        seeds: Seeds by purpose, JSON-able.
        evaluation: Rows of the evaluation table, JSON-able (``MatchResult.rows()`` of `training.evaluate`).
        notes: One or two sentences for people.
        temperature: How it plays unless its spec says otherwise, see `network.NetworkPolicy`.
        data: The data that it was trained on, as `broodmind.make` takes it.

    Returns:
        The card that was written.

    Raises:
        CheckpointError: The folder cannot be written, the network does not fit the environment or holds
            weights that are not finite, or the agent does not exist.
        UnknownEnvironmentError: No environment has one of the ids.
    """
    import safetensors.torch
    import torch

    folder = Path(folder)
    ids = [env_ids] if isinstance(env_ids, str) else list(env_ids)
    game = shared_game([*ids, *held_out], data)
    if agent not in game.agents:
        raise CheckpointError(f"{ids[0]} has no agent {agent!r}; agents: {', '.join(game.agents)}")
    tensors: dict[str, Tensor] = {
        name: tensor.detach().cpu().float().contiguous() for name, tensor in network.state_dict().items()
    }
    for name, tensor in tensors.items():
        if not bool(torch.isfinite(tensor).all()):
            raise CheckpointError(
                f"{name} holds NaN or infinite weights: the training diverged, nothing was written"
            )
    weights = safetensors.torch.save(tensors)
    card = Card(
        environments=tuple(trained_for(env_id, game) for env_id in ids),
        agent=agent,
        architecture=network.architecture.to_dict(),
        weights_sha256=hashlib.sha256(weights).hexdigest(),
        training=dict(training or {}),
        seeds=dict(seeds or {}),
        versions=library_versions(),
        evaluation=[dict(row) for row in evaluation],
        notes=notes,
        held_out=tuple(trained_for(env_id, game) for env_id in held_out),
        temperature=temperature,
    )
    for env_id in (*ids, *held_out):
        check_card(card, "the network", env_id, agent, data)
    _write_folder(folder, {WEIGHTS: weights, **_cards(card)})
    return card


def export_from_state_dict(
    folder: str | os.PathLike[str],
    state_dict: Mapping[str, Tensor],
    activation: str,
    env_ids: str | Sequence[str],
    agent: str,
    **card: Any,
) -> Card:
    """Write a checkpoint from the weights of an SB3 ``MlpPolicy`` (MaskablePPO); its logits are kept exactly.

    Args:
        folder: As in `export_network`.
        state_dict: ``model.policy.state_dict()``.
        activation: ``"relu"`` or ``"tanh"``, as in ``policy_kwargs["activation_fn"]``.
        env_ids: As in `export_network`.
        agent: As in `export_network`.
        **card: ``held_out``, ``training``, ``seeds``, ``evaluation``, ``notes``, ``temperature`` and ``data``,
            as in `export_network`.

    Returns:
        The card that was written.

    Raises:
        CheckpointError: As in `export_network` and `network.from_stable_baselines`.
    """
    from broodmind.agents.network import from_stable_baselines

    return export_network(folder, from_stable_baselines(state_dict, activation), env_ids, agent, **card)


def update_card(folder: str | os.PathLike[str], **changes: Any) -> Card:
    """Replace parts of a card (``evaluation``, ``notes``, ``temperature``, ``training``, ``seeds``), atomically.

    The weights stay as they are.

    Returns:
        The new card.

    Raises:
        CheckpointError: The card cannot be read or written, or a part may not be changed.
    """
    folder = Path(folder)
    wrong = set(changes) - {"evaluation", "notes", "temperature", "training", "seeds"}
    if wrong:
        raise CheckpointError(f"{', '.join(sorted(wrong))} of a card cannot be changed")
    data = read_card(folder).to_dict() | changes
    card = Card.from_dict(data, str(folder / CARD))
    for name, content in _cards(card).items():
        try:
            with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{name}.", delete=False) as file:
                file.write(content)
            os.chmod(file.name, 0o644)
            os.replace(file.name, folder / name)
        except OSError as error:
            raise CheckpointError(f"cannot write {folder / name}: {error.strerror}") from None
    return card


def _cards(card: Card) -> dict[str, bytes]:
    """Return the two cards as files."""
    from broodmind.agents.card import readme

    try:
        text = json.dumps(card.to_dict(), indent=2, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"the card holds something that JSON cannot: {error}") from None
    return {CARD: (text + "\n").encode(), README: readme(card).encode()}


def _write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files that appears complete or not at all."""
    if folder.exists() and not _holds_card(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise CheckpointError(f"{folder} exists and is no checkpoint; choose another folder")
    fresh: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".new", dir=folder.parent))
        fresh.chmod(0o755)
        for name, content in files.items():
            with open(fresh / name, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        if folder.exists():
            # No portable call exchanges two folders: the old one is complete until the new one is in place.
            old = fresh.with_suffix(".old")
            os.replace(folder, old)
            os.replace(fresh, folder)
            shutil.rmtree(old, ignore_errors=True)
        else:
            os.replace(fresh, folder)
    except OSError as error:
        if fresh is not None:
            shutil.rmtree(fresh, ignore_errors=True)
        raise CheckpointError(f"cannot write {folder}: {error.strerror or error}") from None
