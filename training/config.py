"""How a training run is configured: one dataclass, presets as TOML, and errors that name the key at fault."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from broodmind.envs.core.errors import ConfigError
from broodmind.envs.core.registration import select_ids
from broodmind.envs.core.schema import env_folder

PRESETS = Path(__file__).resolve().parent / "presets"

ACTIVATIONS = ("relu", "tanh")

LARGEST_LAYER = 8192
"""More units than this in a hidden layer are taken for a slip of the hand: two such layers need a gigabyte."""

FEWEST_POSITIONS = 20
"""Fewer cannot tell what an improvement by playouts has gained."""

LOCAL = ("data", "initial")
"""Fields that only mean something on one machine; cards tell the hash of what they lead to instead."""

OPTIONS = "your options"
"""What messages call fields that were given as keyword arguments, beside a file."""


def _setting(default: Any, meaning: str) -> Any:
    """Declare a field with its meaning (shown by `describe` and in error messages)."""
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that decides what a training run does. Two runs with equal configs give equal weights.

    Raises:
        ConfigError: A value is outside what its field allows; the message names field, value and expectation.
    """

    # what is trained
    env_id: str = _setting(
        "",
        "environment id, such as macragge/crash-site-v0; or several: patterns and commas, as in macragge/*",
    )
    hold_out: str = _setting("", "environments kept out of training but evaluated, written like env_id")
    agent: str = _setting("both", "the agent to train, or both: the agents alternate then")
    steps: int = _setting(2_000_000, "learner decisions of the whole run, shared by the agents trained")
    steps_per_generation: int = _setting(250_000, "learner decisions of one agent in one generation")
    seed: int = _setting(0, "seed of everything that is drawn")
    layout: str = _setting("", "layout of the board, as make() takes it; empty: each mission's first")
    data: str = _setting("", "folder of data files, as make() takes it; empty: those of the package")
    max_turns: int = _setting(-1, "limit of turns that truncates; -1: the mission's own, 0: none")

    # how experience is gathered
    envs: int = _setting(256, "games played at once")
    rollout_steps: int = _setting(64, "learner decisions per game between two updates")
    threads: int = _setting(2, "threads of PyTorch and of the batch of games (0: as many as there are cores)")

    # the learner: PPO
    learning_rate: float = _setting(3e-4, "step size of Adam at the start of the run")
    learning_rate_end: float = _setting(1e-4, "step size of Adam at the end of the run; linear in between")
    warm_up_updates: int = _setting(10, "over so many first updates the step size grows to its full value")
    minibatch: int = _setting(1024, "decisions per gradient step")
    epochs: int = _setting(3, "passes over each rollout")
    gamma: float = _setting(0.999, "discount per learner decision")
    gae_lambda: float = _setting(0.95, "bias-variance trade-off of the advantage estimate")
    bootstrap_truncation: bool = _setting(
        False, "whether games that max_turns cut count as unfinished; else as the draws they are evaluated as"
    )
    clip_range: float = _setting(0.2, "PPO's clipping of the probability ratio")
    entropy: float = _setting(0.005, "weight of the entropy bonus at the start of the run")
    entropy_end: float = _setting(
        0.0005, "weight of the entropy bonus at the end of the run; linear in between"
    )
    value_coefficient: float = _setting(0.5, "weight of the value loss")
    max_gradient_norm: float = _setting(0.5, "gradients are clipped to this norm")
    target_kl: float = _setting(0.02, "an update stops early beyond 1.5 times this divergence; 0: never")

    # the network
    hidden: tuple[int, ...] = _setting((256, 256), "units of the hidden layers of the policy network")
    value_hidden: tuple[int, ...] = _setting((128, 128), "units of the hidden layers of the value network")
    row_units: int = _setting(
        0,
        "units of the networks that look at the row of an observation that an action has (Verb.rows); 0: none",
    )
    activation: str = _setting("relu", "activation of the hidden layers: relu or tanh")

    # a warm start: go on from a checkpoint, or imitate the scripted player, before the first generation
    initial: str = _setting(
        "", "checkpoint to start from: a folder, a shipped name; of this game and these layers. Empty: none"
    )
    imitation_steps: int = _setting(0, "decisions of that player to imitate first; 0: none")
    imitation_player: str = _setting("scripted", "spec of the player to imitate, such as scripted:tuned")
    imitation_against_random: str = _setting(
        "", "spec of the player to imitate in games against the random player; empty: the same"
    )
    imitation_epochs: int = _setting(3, "passes over the imitated decisions")
    imitation_minibatch: int = _setting(512, "imitated decisions per gradient step")
    imitation_rate: float = _setting(2e-3, "step size of Adam at the start of imitation; linear to 0")
    imitation_own: float = _setting(
        0.5, "share of imitated games' decisions that the learner takes itself at the end of imitation"
    )
    imitation_blur: float = _setting(
        0.0,
        "how far from the imitated action others are taught too, less the farther, if actions are points (Verb.point); "
        "0: it alone",
    )

    # improvement by playouts, after that
    improvement_positions: int = _setting(
        0, "positions in which actions are tried by playouts, to improve the policy; 0: none"
    )
    improvement_worlds: int = _setting(4, "imagined worlds that each action of a position is tried in")
    improvement_actions: int = _setting(16, "actions tried in a position at most, the learner's among them")
    improvement_verbs: str = _setting(
        "", "verbs that are improved, as in DIR,TARGET; empty: all that the game has"
    )
    improvement_scale: float = _setting(0.02, "reward that becomes one unit of logit")
    improvement_caution: float = _setting(
        0.02, "reward that another action must be worth above the learner's choice to take its place"
    )
    improvement_epochs: int = _setting(8, "passes over the positions")
    improvement_minibatch: int = _setting(256, "positions per gradient step")
    improvement_rate: float = _setting(2e-3, "step size of Adam at the start of improvement; linear to 0")

    # the league: how often a training game is played against whom (normalised; what is missing is left out)
    weight_latest: float = _setting(0.3, "share of games against the newest checkpoint of the other agent")
    weight_past: float = _setting(0.15, "share of games against older checkpoints of the other agent")
    weight_scripted: float = _setting(0.4, "share of games against the scripted player")
    weight_random: float = _setting(0.15, "share of games against the random player")
    past_opponents: int = _setting(1, "how many different older checkpoints a generation meets")

    # evaluation at the end of each generation, which also decides what is exported
    evaluation_games: int = _setting(200, "games per environment and opponent after each generation; 0: none")

    def __post_init__(self) -> None:
        """Validate every field."""
        self._select()
        object.__setattr__(self, "hidden", tuple(self.hidden))
        object.__setattr__(self, "value_hidden", tuple(self.value_hidden))
        for name, least in _AT_LEAST.items():
            if not getattr(self, name) >= least:  # written so that it refuses nan too
                self._refuse(name, f"a number of at least {least}")
        for name, (low, high) in _BETWEEN.items():
            if not low <= getattr(self, name) <= high:
                self._refuse(name, f"a number between {low} and {high}")
        if 0 < self.improvement_positions < FEWEST_POSITIONS:
            self._refuse("improvement_positions", f"0, or at least {FEWEST_POSITIONS}: a tenth is held out")
        if not self.agent:
            self._refuse("agent", "the name of an agent, or 'both'")
        if self.activation not in ACTIVATIONS:
            self._refuse("activation", f"one of {', '.join(ACTIVATIONS)}")
        for name in ("hidden", "value_hidden"):
            sizes = getattr(self, name)
            if not sizes or not 1 <= min(sizes) <= max(sizes) <= LARGEST_LAYER:
                self._refuse(name, f"one or more layer sizes, each between 1 and {LARGEST_LAYER}")
        if self.weight_scripted + self.weight_random <= 0:
            self._refuse(
                "weight_scripted",
                "a positive weight_scripted or weight_random (the first generation meets nobody else)",
            )
        if self.minibatch > self.envs * self.rollout_steps:
            self._refuse("minibatch", f"at most envs x rollout_steps = {self.envs * self.rollout_steps}")
        if self.envs < len(self.env_ids):
            self._refuse("envs", f"a game for each of the {len(self.env_ids)} missions, or more")

    def _select(self) -> None:
        """Put the ids that are meant in place of patterns: later registrations must not change what a run is."""
        held_out = select_ids(self.hold_out)
        chosen = select_ids(self.env_id)
        for name, ids in (("env_id", chosen or ("",)), ("hold_out", held_out)):
            if not all(re.fullmatch(r"[a-z0-9-]+/[a-z0-9-]+-v\d+", env_id) for env_id in ids):
                self._refuse(
                    name, "an environment id such as macragge/crash-site-v0 (`broodmind list` shows them)"
                )
        trained = [env_id for env_id in chosen if env_id not in held_out]
        if not trained:
            self._refuse("env_id", "an environment that is not held out")
        object.__setattr__(self, "env_id", ",".join(trained))
        object.__setattr__(self, "hold_out", ",".join(held_out))

    def _refuse(self, name: str, expected: str) -> None:
        raise ConfigError(f"{name} = {getattr(self, name)!r}: expected {expected}")

    @property
    def env_ids(self) -> tuple[str, ...]:
        """The environments that are trained on."""
        return tuple(self.env_id.split(","))

    @property
    def held_out(self) -> tuple[str, ...]:
        """The environments that are kept out of training."""
        return select_ids(self.hold_out)

    @property
    def evaluated(self) -> tuple[str, ...]:
        """The environments that are evaluated: those trained on, then those held out."""
        return self.env_ids + self.held_out

    @property
    def rollout_size(self) -> int:
        """Learner decisions between two updates."""
        return self.envs * self.rollout_steps

    @property
    def updates_per_generation(self) -> int:
        """Updates of one agent in one generation (generations consist of whole rollouts)."""
        return max(1, round(self.steps_per_generation / self.rollout_size))

    def generations(self, agents: int) -> int:
        """Return how many generations the run has when `agents` agents are trained."""
        return max(1, round(self.steps / (agents * self.updates_per_generation * self.rollout_size)))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-able values."""
        data = dataclasses.asdict(self)
        data["hidden"], data["value_hidden"] = list(self.hidden), list(self.value_hidden)
        return data

    def for_card(self) -> dict[str, Any]:
        """Return the fields as a checkpoint's card tells them: none that says where something lies on this machine."""
        return {name: value for name, value in self.to_dict().items() if name not in LOCAL}

    def replace(self, source: str = OPTIONS, /, **changes: Any) -> TrainingConfig:
        """Return a config with some fields changed; None leaves a field as it is.

        A rollout that the changes make smaller than `minibatch` takes `minibatch` with it, unless the changes name
        that too.

        Raises:
            ConfigError: As `config_from_dict`.
        """
        given = {name: value for name, value in changes.items() if value is not None}
        return config_from_dict(_smaller_minibatch(self.to_dict(), given), source)


_AT_LEAST: dict[str, float] = {
    "steps": 1,
    "steps_per_generation": 1,
    "seed": 0,
    "max_turns": -1,
    "envs": 1,
    "rollout_steps": 1,
    "threads": 0,
    "minibatch": 1,
    "epochs": 1,
    "entropy": 0,
    "entropy_end": 0,
    "value_coefficient": 0,
    "target_kl": 0,
    "row_units": 0,
    "imitation_steps": 0,
    "imitation_epochs": 1,
    "imitation_minibatch": 1,
    "improvement_positions": 0,
    "improvement_worlds": 1,
    "improvement_caution": 0,
    "improvement_actions": 2,
    "improvement_epochs": 1,
    "improvement_minibatch": 1,
    "warm_up_updates": 1,
    "weight_latest": 0,
    "weight_past": 0,
    "weight_scripted": 0,
    "weight_random": 0,
    "past_opponents": 0,
    "evaluation_games": 0,
}
_BETWEEN: dict[str, tuple[float, float]] = {
    "learning_rate": (1e-8, 1.0),
    "learning_rate_end": (0.0, 1.0),
    "gamma": (0.0, 1.0),
    "gae_lambda": (0.0, 1.0),
    "clip_range": (1e-4, 1.0),
    "max_gradient_norm": (1e-6, 1e6),
    "imitation_rate": (1e-8, 1.0),
    "imitation_own": (0.0, 1.0),
    "imitation_blur": (0.0, 10.0),
    "improvement_scale": (1e-6, 1e6),
    "improvement_rate": (1e-8, 1.0),
}

_TYPES = get_type_hints(TrainingConfig)
FIELDS = {f.name: f for f in dataclasses.fields(TrainingConfig)}


def describe() -> list[tuple[str, str, Any, str]]:
    """Return name, type, default and meaning of every field, for help texts and documentation."""
    return [(name, _type_name(_TYPES[name]), f.default, f.metadata["meaning"]) for name, f in FIELDS.items()]


def _type_name(annotation: Any) -> str:
    if annotation is float:
        return "number"
    if annotation is int:
        return "integer"
    if annotation is str:
        return "text"
    if annotation is bool:
        return "true or false"
    return "list of integers"


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _coerce(name: str, value: Any, source: str) -> Any:
    """Return the value in the type of its field.

    Raises:
        ConfigError: It has another type.
    """
    annotation = _TYPES[name]
    fits = False
    if annotation is int:
        fits = _is_integer(value)
    elif annotation is float:
        fits = _is_integer(value) or isinstance(value, float)
        value = float(value) if fits else value
    elif annotation is bool:
        fits = isinstance(value, bool)
    elif annotation is str:
        fits = isinstance(value, str)
    elif get_origin(annotation) is tuple and get_args(annotation)[1] is Ellipsis:
        fits = isinstance(value, list | tuple) and all(_is_integer(v) for v in value)
        value = tuple(value) if fits else value
    if not fits:
        meaning = FIELDS[name].metadata["meaning"]
        raise ConfigError(f"{source}: {name} = {value!r}: expected {_type_name(annotation)} ({meaning})")
    return value


def config_from_dict(data: Mapping[str, Any], source: str = "configuration") -> TrainingConfig:
    """Make a config from a mapping of field names to values; missing fields take their defaults.

    Args:
        data: Field names and values, as `TrainingConfig.to_dict` gives them.
        source: Where the data came from, for messages (a file name).

    Raises:
        ConfigError: A key is unknown, a type wrong or a value out of range; the message names source, key and
            what was expected.
    """
    for name in data:
        if name not in FIELDS:
            raise ConfigError(f"{source}: unknown key {name!r}; known keys: {', '.join(FIELDS)}")
    values = {name: _coerce(name, value, source) for name, value in data.items()}
    if "minibatch" not in values and ("envs" in values or "rollout_steps" in values):
        values = _smaller_minibatch({name: f.default for name, f in FIELDS.items()}, values)
    try:
        return TrainingConfig(**values)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def _smaller_minibatch(base: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return base and given fields together; a minibatch that is not among the given shrinks with the rollout."""
    data = {**base, **given}
    sizes = data["envs"], data["rollout_steps"], data["minibatch"]
    if "minibatch" not in given and {"envs", "rollout_steps"} & given.keys() and all(map(_is_integer, sizes)):
        data["minibatch"] = min(sizes[2], max(sizes[0] * sizes[1], 1))
    return data


def load_config(path: str | Path, /, env_id: str | None = None, **changes: Any) -> TrainingConfig:
    """Read a config from a TOML file (flat: ``key = value`` lines), or from a run's ``config.json``.

    Args:
        path: The file.
        env_id: The environments that it must be for, written as in a file (those held out may be named or not); a file
            that names none is for any.
        changes: Fields that override what the file says, as in `TrainingConfig.replace`; None overrides nothing.

    Raises:
        ConfigError: The file cannot be read, is malformed, or has an unknown key or a wrong value, or a change
            does not fit. Messages name the file where the file is at fault, and `OPTIONS` where a change is.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{path}: cannot read the configuration ({reason})") from None
    try:
        data = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise ConfigError(f"{path}: not valid {kind}: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected keys and values, got {type(data).__name__}")
    if env_id is not None:
        data.setdefault("env_id", env_id)
    base = config_from_dict(data, str(path))
    if env_id is not None and set(base.replace(env_id=env_id).env_ids) != set(base.env_ids):
        raise ConfigError(
            f"{path} is a configuration for {base.env_id}, not for {env_id}; leave the id out, or give another file"
        )
    given = {name: value for name, value in changes.items() if value is not None}
    return base.replace(OPTIONS, **given) if given else base


def preset_names() -> list[str]:
    """Return the names of the presets that are shipped."""
    return sorted(path.stem for path in PRESETS.glob("*.toml"))


def preset(env_id: str, variant: str = "", /, **changes: Any) -> TrainingConfig:
    """Return the shipped configuration of an environment; the defaults if none is shipped for it.

    Args:
        env_id: The environment id; ``macragge/crash-site-v0`` has the preset ``macragge-crash-site``. Several
            missions (``macragge/*``) have that of their game, ``macragge-all``.
        variant: A variant, such as ``demo``; it must exist.
        changes: Fields that override the preset; None overrides nothing.

    Raises:
        ConfigError: There is no such variant, or a change does not fit.
    """
    ids = select_ids(env_id) or (env_id,)
    name = env_folder(*ids).replace("/", "-") + (f"-{variant}" if variant else "")
    path = PRESETS / f"{name}.toml"
    if path.is_file():
        return load_config(path).replace(OPTIONS, **{"env_id": env_id, **changes})
    if variant:
        raise ConfigError(f"no preset {name!r}; presets: {', '.join(preset_names())}")
    return TrainingConfig(env_id=env_id).replace(OPTIONS, **changes)


__all__ = [
    "TrainingConfig",
    "config_from_dict",
    "describe",
    "load_config",
    "preset",
    "preset_names",
]
