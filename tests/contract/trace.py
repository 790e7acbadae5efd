"""Prints a digest of a random playthrough per environment id, so that processes can be compared.

``python tests/contract/trace.py DECISIONS ID...``
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from contract.kit import seen, walk
from toy.game import register_toy

import broodmind


def trace(env_id: str, decisions: int) -> str:
    """Return a digest of all bytes of a random playthrough, of playouts and of a small batch."""
    digest = hashlib.sha256()
    env = broodmind.make(env_id)
    for _ in walk(env, decisions, 31):
        digest.update(env.states.tobytes())
        for part in seen(env):
            digest.update(part)
        digest.update(json.dumps([event.sentence for event in env.events()]).encode())
    kernels, tables = env.game.kernels(), env.game.tables()
    for seed in range(2):
        env.reset(seed=seed)
        chosen = int(kernels.scripted(env.view(env.agent_selection, seed), 0, tables, seed))
        scratch = env.view(env.agent_selection, seed)
        result = int(kernels.playout(scratch, 0, tables, env._mask.copy(), 12, seed, 3 if seed == 0 else 0))
        digest.update(f"{chosen} {result}".encode() + scratch.tobytes())
    batch = broodmind.make_vec(env_id, 3, 32, num_threads=1)
    batch.reset()
    for _ in range(8):
        batch.step(batch.mask.argmax(axis=1))
    digest.update(batch.states.tobytes() + batch.observation.tobytes() + batch.mask.tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    register_toy()
    print(json.dumps({env_id: trace(env_id, int(sys.argv[1])) for env_id in sys.argv[2:]}))
