"""The policy and value network of checkpoints: a multi-layer perceptron with masked choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from broodmind.agents.heads import WIDEST_LAYER, RowHead, RowLogits, add_heads, is_size, read_heads
from broodmind.agents.seeds import ActFromSeeds, as_fractions
from broodmind.envs.core.errors import CheckpointError

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
MOST_LAYERS = 32
NORMALISED_CLIP = 10.0
"""Normalised observations are clipped to +- this many standard deviations."""


@dataclass(frozen=True)
class Architecture:
    """The shape of a network: ``observation -> trunk -> policy -> logits`` and ``trunk -> value -> value``.

    Args:
        observation_size: Numbers in an observation.
        action_count: Number of actions.
        trunk: Units of the hidden layers that policy and value share.
        policy: Units of the policy's own hidden layers.
        value: Units of the value's own hidden layers.
        activation: Of every hidden layer, ``"relu"`` or ``"tanh"``.
        normalise: Whether observations are normalised by a stored mean and standard deviation.
        row_heads: Actions whose logits depend on rows of the observation besides.

    Raises:
        CheckpointError: A size or the activation is impossible.
    """

    observation_size: int
    action_count: int
    trunk: tuple[int, ...] = ()
    policy: tuple[int, ...] = (256, 256)
    value: tuple[int, ...] = (256, 256)
    activation: str = "relu"
    normalise: bool = False
    row_heads: tuple[RowHead, ...] = ()

    def __post_init__(self) -> None:
        for name in ("trunk", "policy", "value"):
            layers = getattr(self, name)
            if len(layers) > MOST_LAYERS or not all(is_size(units) for units in layers):
                raise CheckpointError(
                    f"architecture: {name} must be at most {MOST_LAYERS} layer sizes of 1..{WIDEST_LAYER}, "
                    f"got {layers!r}"
                )
        for name in ("observation_size", "action_count"):
            if not is_size(getattr(self, name)):
                raise CheckpointError(
                    f"architecture: {name} must be an integer of 1..{WIDEST_LAYER}, "
                    f"got {getattr(self, name)!r}"
                )
        if self.activation not in ACTIVATIONS:
            raise CheckpointError(
                f"architecture: activation must be one of {', '.join(ACTIVATIONS)}, got {self.activation!r}"
            )
        if not isinstance(self.normalise, bool):
            raise CheckpointError(f"architecture: normalise must be true or false, got {self.normalise!r}")
        if len(self.row_heads) > MOST_LAYERS:
            raise CheckpointError(f"architecture: at most {MOST_LAYERS} row_heads, got {len(self.row_heads)}")
        for head in self.row_heads:
            head.check(self.observation_size, self.action_count)

    def to_dict(self) -> dict[str, Any]:
        """Return the architecture as JSON-able values; `row_heads` only if there are any."""
        data = {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()}
        data["row_heads"] = [head.to_dict() for head in self.row_heads]
        if not self.row_heads:
            del data["row_heads"]
        return data

    @classmethod
    def from_dict(cls, data: object) -> Architecture:
        """Return the architecture that `to_dict` described.

        Raises:
            CheckpointError: A key is missing, unknown or of the wrong type.
        """
        names = [field.name for field in fields(cls)]
        if not isinstance(data, Mapping) or set(data) | {"row_heads"} != set(names):
            raise CheckpointError(
                f"architecture: expected exactly the keys {', '.join(names)} (row_heads may be missing)"
            )
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in data.items()
        }
        values["row_heads"] = read_heads(data.get("row_heads", []))
        for name in ("trunk", "policy", "value"):
            if not isinstance(values[name], tuple):
                raise CheckpointError(f"architecture: {name} must be a list, got {values[name]!r}")
        return cls(**values)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the name and shape of every tensor of the network, in order."""
        shapes: dict[str, tuple[int, ...]] = {}
        if self.normalise:
            shapes["observation_mean"] = (self.observation_size,)
            shapes["observation_std"] = (self.observation_size,)

        def stack(name: str, width: int, layers: Sequence[int]) -> int:
            for k, units in enumerate(layers):
                shapes[f"{name}.{2 * k}.weight"] = (units, width)
                shapes[f"{name}.{2 * k}.bias"] = (units,)
                width = units
            return width

        trunk = stack("trunk", self.observation_size, self.trunk)
        policy = stack("policy", trunk, self.policy)
        value = stack("value", trunk, self.value)
        for k, head in enumerate(self.row_heads):
            shapes |= {f"row_heads.{k}.{name}": shape for name, shape in head.shapes(policy).items()}
        shapes["logits.weight"], shapes["logits.bias"] = (self.action_count, policy), (self.action_count,)
        shapes["estimate.weight"], shapes["estimate.bias"] = (1, value), (1,)
        return shapes


class PolicyValueNetwork(nn.Module):
    """The network of an architecture; weights are random until loaded."""

    observation_mean: Tensor
    observation_std: Tensor

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.architecture = architecture
        activation = ACTIVATIONS[architecture.activation]

        def stack(width: int, layers: Sequence[int]) -> tuple[nn.Sequential, int]:
            modules: list[nn.Module] = []
            for units in layers:
                modules += [nn.Linear(width, units), activation()]
                width = units
            return nn.Sequential(*modules), width

        if architecture.normalise:
            self.register_buffer("observation_mean", torch.zeros(architecture.observation_size))
            self.register_buffer("observation_std", torch.ones(architecture.observation_size))
        self.trunk, width = stack(architecture.observation_size, architecture.trunk)
        self.policy, policy_width = stack(width, architecture.policy)
        self.value, value_width = stack(width, architecture.value)
        self.logits = nn.Linear(policy_width, architecture.action_count)
        self.row_heads = nn.ModuleList(RowLogits(head, policy_width) for head in architecture.row_heads)
        self.estimate = nn.Linear(value_width, 1)

    def features(self, observations: Tensor) -> Tensor:
        """Return what policy and value share, from observations of shape (games, observation_size)."""
        if self.architecture.normalise:
            observations = (observations - self.observation_mean) / self.observation_std
            observations = observations.clamp(-NORMALISED_CLIP, NORMALISED_CLIP)
        shared: Tensor = self.trunk(observations)
        return shared

    def policy_logits(self, observations: Tensor) -> Tensor:
        """Return unmasked logits, shape (games, action_count)."""
        return self._all_logits(self.policy(self.features(observations)), observations)

    def _all_logits(self, hidden: Tensor, observations: Tensor) -> Tensor:
        logits: Tensor = self.logits(hidden)
        return add_heads(self.row_heads, logits, observations, hidden)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return unmasked logits, shape (games, action_count), and values, shape (games,)."""
        shared = self.features(observations)
        logits = self._all_logits(self.policy(shared), observations)
        return logits, self.estimate(self.value(shared)).squeeze(-1)


class NetworkPolicy(ActFromSeeds):
    """A network that plays.

    Args:
        network: The network; put into evaluation mode here.
        spec: How tables and replays name it.
        temperature: 0: the legal action with the highest logit. Above 0: drawn from the softmax over the
            legal actions of ``logits / temperature``; 1 is the distribution that was trained.
        held_out: Ids of environments that were held out of its training, so that tables can mark them.
    """

    def __init__(
        self,
        network: PolicyValueNetwork,
        spec: str,
        temperature: float = 0.0,
        held_out: tuple[str, ...] = (),
    ) -> None:
        self.held_out = held_out
        self.network = network.eval()
        self.spec = spec
        self.temperature = temperature

    def act_seeded(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        seeds: NDArray[np.int64],
        positions: NDArray[np.void] | None = None,
    ) -> NDArray[np.int64]:
        """Choose for many games, see `SeededPolicy.act_seeded`: one forward pass over the batch.

        Raises:
            ValueError: A mask has no legal action, or observations or masks have the wrong size.
            CheckpointError: The network gives no numbers (its weights are so large that they overflow).
        """
        from broodmind.agents.kernels import choose_greedy, choose_sampled

        architecture = self.network.architecture
        for name, array, size in (
            ("observations", observations, architecture.observation_size),
            ("masks", masks, architecture.action_count),
        ):
            if array.shape != (len(seeds), size):
                raise ValueError(
                    f"{self.spec}: expected {name} of shape ({len(seeds)}, {size}), got {array.shape}"
                )
        with torch.inference_mode():
            logits = self.network.policy_logits(_as_tensor(observations)).numpy()
        if not np.isfinite(logits).all():
            raise CheckpointError(
                f"{self.spec}: the network's weights overflow, so that it prefers nothing; use another checkpoint"
            )
        actions = np.empty(len(masks), np.int64)
        if self.temperature > 0:
            choose_sampled(logits, masks, 1.0 / self.temperature, as_fractions(seeds), actions)
        else:
            choose_greedy(logits, masks, actions)
        if len(actions) and actions.min() < 0:
            raise ValueError("a mask has no legal action: the episode of that game is over")
        return actions

    def values(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what the network expects to be the final reward of the seat, shape (games,)."""
        with torch.inference_mode():
            values: NDArray[np.float32] = self.network(_as_tensor(observations))[1].numpy()
        return values


def _as_tensor(observations: NDArray[np.float32]) -> Tensor:
    # PyTorch warns about read-only arrays, which it could write to.
    return torch.from_numpy(observations if observations.flags.writeable else observations.copy())


def from_stable_baselines(state_dict: Mapping[str, Tensor], activation: str) -> PolicyValueNetwork:
    """Return the network that computes exactly what an SB3 ``MlpPolicy`` of these weights computes.

    Understood are policies with a flattening feature extractor (any ``net_arch``: one list, or lists ``pi``
    and ``vf``) and feature extractors that are a plain stack of linear layers, each followed by the
    activation (the shared trunk).

    Args:
        state_dict: ``model.policy.state_dict()``.
        activation: ``"relu"`` or ``"tanh"``, as in ``policy_kwargs["activation_fn"]``.

    Raises:
        CheckpointError: The weights are not those of such a policy.
    """
    stacks = {
        "trunk": "features_extractor.",
        "policy": "mlp_extractor.policy_net.",
        "value": "mlp_extractor.value_net.",
        "logits": "action_net.",
        "estimate": "value_net.",
    }
    ignored = ("pi_features_extractor.", "vf_features_extractor.")  # SB3 lists a shared extractor three times
    layers: dict[str, list[tuple[Tensor, Tensor]]] = {name: [] for name in stacks}
    for key, weight in state_dict.items():
        name = next((name for name, prefix in stacks.items() if key.startswith(prefix)), None)
        if name is None:
            if key.startswith(ignored):
                continue
            raise CheckpointError(f"{key!r} is not a weight of an SB3 MlpPolicy with linear layers")
        if key.endswith(".weight"):
            bias = state_dict.get(key.removesuffix("weight") + "bias")
            if weight.ndim != 2 or bias is None:
                raise CheckpointError(f"{key!r} is not the weight of a linear layer with a bias")
            layers[name].append((weight, bias))
    for extractor in ignored:
        for key in state_dict:
            if key.startswith(extractor):
                shared = state_dict.get("features_extractor." + key.removeprefix(extractor))
                if shared is None or not torch.equal(shared, state_dict[key]):
                    raise CheckpointError(
                        f"{key!r} is not shared between policy and value; export needs a shared extractor"
                    )
    if len(layers["logits"]) != 1 or len(layers["estimate"]) != 1:
        raise CheckpointError(
            "action_net or value_net is missing: not the weights of an SB3 MlpPolicy for Discrete actions"
        )
    first = next(stack[0][0] for stack in (layers["trunk"], layers["policy"], layers["logits"]) if stack)
    architecture = Architecture(
        observation_size=int(first.shape[1]),
        action_count=int(layers["logits"][0][0].shape[0]),
        trunk=tuple(int(weight.shape[0]) for weight, _ in layers["trunk"]),
        policy=tuple(int(weight.shape[0]) for weight, _ in layers["policy"]),
        value=tuple(int(weight.shape[0]) for weight, _ in layers["value"]),
        activation=activation,
    )
    tensors: dict[str, Tensor] = {}
    for name, stack in layers.items():
        for k, (weight, bias) in enumerate(stack):
            place = name if name in {"logits", "estimate"} else f"{name}.{2 * k}"
            tensors[f"{place}.weight"], tensors[f"{place}.bias"] = weight, bias
    network = PolicyValueNetwork(architecture)
    try:
        network.load_state_dict({name: tensor.detach().cpu().float() for name, tensor in tensors.items()})
    except RuntimeError as error:
        raise CheckpointError(
            f"the layers do not fit together: {str(error).splitlines()[-1].strip()}"
        ) from None
    return network.eval()
