"""Golden playthroughs: one short recorded game per environment id, in ``tests/golden/<id>.jsonl``.

``python tests/contract/golden.py`` writes the missing ones, ``... golden.py ID...`` those named, anew. A
change of a recorded game means that the rules, the generator or a space changed: raise the version of the id
unless it was not yet released.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS))

from contract.kit import walk  # noqa: E402 (needs the path)

import broodmind  # noqa: E402

GOLDEN = TESTS / "golden"
DECISIONS = 60


def path_of(env_id: str) -> Path:
    """Return the file of an id."""
    return GOLDEN / f"{env_id}.jsonl"


def record(env_id: str) -> list[dict[str, Any]]:
    """Play the game and return a line per decision: who, what, observables as digests, what happened."""
    env = broodmind.make(env_id)
    lines: list[dict[str, Any]] = []
    for _ in walk(env, DECISIONS, 41):
        observations = [env.observe(agent)["observation"] for agent in env.possible_agents]
        lines.append(
            {
                "agent": env.agent_selection,
                "phase": env.phase_name(),
                "turn": int(env.states[0]["core"]["turn"]),
                "events": [event.sentence for event in env.events()],
                "legal": hashlib.sha256(env._mask.tobytes()).hexdigest()[:12],
                "legal_count": len(env.legal_actions()),
                "observations": [hashlib.sha256(seen).hexdigest()[:12] for seen in observations],
                "state": env.state_hash()[:16],
            }
        )
    return lines


def write(env_id: str) -> Path:
    """Record an id's playthrough and write its file."""
    path = path_of(env_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in record(env_id)) + "\n"
    path.write_text(text, encoding="utf-8")
    return path


if __name__ == "__main__":
    from toy.game import register_toy

    register_toy()
    for wanted in sys.argv[1:] or [known for known in broodmind.env_ids() if not path_of(known).exists()]:
        print(write(wanted))
