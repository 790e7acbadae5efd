"""Policies by name: the specs that name a player everywhere (commands, training, replays, environments).

* ``random``: every legal action equally likely.
* ``scripted``: the hand-written player that the game brings along. Battle for Macragge has two more:
  ``scripted:tuned`` is stronger in its first two missions, ``scripted:swarm`` (the Tyranids of its second) against
  opponents who do not look after themselves; elsewhere they are the same.
* ``search:N``: `N` imagined continuations per decision. ``search:N?limit=400`` shortens them,
  ``?playout=random`` plays them at random.
* ``checkpoint:NAME``: a trained network; `NAME` is ``shipped``, the name of a shipped one, or a folder. It
  plays as its card says, mostly its best action (``?temperature=0``); with ``?sample`` it draws from its
  distribution, with ``?temperature=T`` from a sharper (T < 1) or flatter one. A campaign is played by the
  networks of its missions.
* ``human``: a person; only ``broodmind play`` can ask one.

Options follow a question mark and are joined by ``&``.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from broodmind.agents.policy import Policy
from broodmind.envs.core.errors import PolicySpecError
from broodmind.envs.core.game import Game
from broodmind.envs.core.registration import game_of

FORMS = {
    "random": "random",
    "scripted": "scripted",
    "search": "search:N",
    "checkpoint": "checkpoint:NAME",
    "human": "human",
}
"""Kind -> how its spec is written."""

MOST_SIMULATIONS = 1_000_000


@dataclass(frozen=True)
class PolicySpec:
    """A spec, taken apart.

    Args:
        text: As it was given.
        kind: ``"random"``, ``"scripted"``, ``"search"``, ``"checkpoint"`` or ``"human"``.
        argument: What follows the colon.
        options: What follows the question mark; the value of an option without one is ``""``.
    """

    text: str
    kind: str
    argument: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


def parse_spec(spec: str) -> PolicySpec:
    """Take a spec apart.

    Raises:
        PolicySpecError: It is no spec; the message lists the forms and suggests the nearest.
    """
    if not isinstance(spec, str):
        raise PolicySpecError(f"a policy spec is a string such as 'scripted', got {type(spec).__name__}")
    text = spec.strip()
    kind, _, rest = text.partition(":")
    if kind not in FORMS and "?" in kind:
        kind, _, rest = text.partition("?")
        rest = "?" + rest
    if kind not in FORMS:
        near = difflib.get_close_matches(kind.lower(), FORMS, n=1, cutoff=0.5)
        hint = f"; did you mean {FORMS[near[0]]!r}?" if near else ""
        raise PolicySpecError(
            f"unknown policy {spec!r}; a policy is one of {', '.join(FORMS.values())}{hint}"
        )
    argument, _, tail = rest.partition("?")
    options: dict[str, str] = {}
    for part in tail.split("&") if tail else ():
        key, _, value = part.partition("=")
        options[key] = value
    if kind == "scripted" and options:
        raise PolicySpecError(f"policy {spec!r}: write 'scripted' or 'scripted:NAME', without options")
    if kind in {"random", "human"} and (argument or options):
        raise PolicySpecError(f"policy {spec!r}: {kind!r} takes no argument; write {kind!r}")
    if kind in {"search", "checkpoint"} and not argument:
        example = "search:200" if kind == "search" else "checkpoint:shipped"
        raise PolicySpecError(f"policy {spec!r} lacks its argument; write {FORMS[kind]}, such as {example!r}")
    return PolicySpec(text, kind, argument, options)


def make_policy(spec: str, env_id: str, agent: str, data: str | os.PathLike[str] | None = None) -> Policy:
    """Make the policy that a spec names, for one seat of one environment.

    Args:
        spec: See the module's documentation.
        env_id: The environment it is to play.
        agent: The seat it is to play.
        data: The data that the game is played on, as `broodmind.make` takes it.

    Raises:
        PolicySpecError: The spec is unknown or malformed, the environment has no such agent, or the spec is
        ``human``.
        CheckpointError: The checkpoint does not exist or cannot be used here.
        UnknownEnvironmentError: No environment has that id.
    """
    parsed = parse_spec(spec)
    game = game_of(env_id, data)
    if agent not in game.agents:
        near = difflib.get_close_matches(agent, game.agents, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"agents: {', '.join(game.agents)}"
        raise PolicySpecError(f"{env_id} has no agent {agent!r}; {hint}")
    if parsed.kind == "human":
        raise PolicySpecError("policy 'human' needs someone to ask: people play with 'broodmind play' only")
    if parsed.kind == "random":
        from broodmind.agents.random import RandomPolicy

        return RandomPolicy()
    if parsed.kind == "scripted":
        from broodmind.agents.scripted import ScriptedPolicy

        return ScriptedPolicy(game, parsed.argument)
    if parsed.kind == "search":
        return _make_search(parsed, game)
    return _make_checkpoint(parsed, env_id, agent, data)


def _make_search(spec: PolicySpec, game: Game) -> Policy:
    from broodmind.agents.search import DEFAULT_LIMIT, SearchPolicy

    _known_options(spec, {"limit", "playout"})
    simulations = _whole_number(spec, "the number of simulations", spec.argument)
    limit = _whole_number(spec, "limit", spec.options.get("limit", str(DEFAULT_LIMIT)))
    playout = spec.options.get("playout", "scripted")
    if playout not in {"scripted", "random"}:
        raise PolicySpecError(f"policy {spec.text!r}: playout is 'scripted' or 'random', got {playout!r}")
    return SearchPolicy(game, simulations, limit, scripted_playouts=playout == "scripted")


def _make_checkpoint(
    spec: PolicySpec, env_id: str, agent: str, data: str | os.PathLike[str] | None
) -> Policy:
    from broodmind.agents.card import HIGHEST_TEMPERATURE

    _known_options(spec, {"sample", "temperature"})
    temperature = 1.0 if "sample" in spec.options else None  # None: the card's
    if spec.options.get("sample"):
        raise PolicySpecError(f"policy {spec.text!r}: 'sample' takes no value; write '?sample'")
    if "temperature" in spec.options:
        try:
            temperature = float(spec.options["temperature"])
        except ValueError:
            temperature = -1.0
        if not 0 <= temperature <= HIGHEST_TEMPERATURE:
            raise PolicySpecError(
                f"policy {spec.text!r}: temperature is a number of 0..{HIGHEST_TEMPERATURE}, "
                f"got {spec.options['temperature']!r}"
            )
    from broodmind.agents.parts import checkpoint_policy

    return checkpoint_policy(spec.argument, env_id, agent, data, spec.text, temperature)


def _known_options(spec: PolicySpec, known: set[str]) -> None:
    for option in spec.options:
        if option not in known:
            names = ", ".join(sorted(known))
            raise PolicySpecError(
                f"policy {spec.text!r}: unknown option {option!r}; {spec.kind} takes {names}"
            )


def _whole_number(spec: PolicySpec, name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:20]) <= MOST_SIMULATIONS:
        raise PolicySpecError(
            f"policy {spec.text!r}: {name} is a whole number of 1..{MOST_SIMULATIONS}, got {text!r}"
        )
    return int(text)
