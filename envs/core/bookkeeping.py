"""What a batch does around its kernels, for all games in one compiled pass."""

from __future__ import annotations

from broodmind.envs.core.compiled import entry


@entry
def take_actions(mask, chosen, taken) -> int:
    """Copy actions to `taken`, and return the first game whose action its mask forbids, or -1.

    Args:
        mask: int8, shape (games, actions).
        chosen: Integers, shape (games,).
        taken: int64, shape (games,); filled. What lies outside the actions is forbidden too.
    """
    first = -1
    size = mask.shape[1]
    for k in range(mask.shape[0]):
        action = int(chosen[k])
        taken[k] = action
        if first < 0 and (action < 0 or action >= size or mask[k, action] == 0):
            first = k
    return first


@entry
def book_ends(ended, result, count, rewards, terminated, truncated) -> None:
    """Fill rewards and ends from what `step_range` said of each game.

    Args:
        ended: 1 terminated, 2 truncated, 0 neither; int8, shape (games,).
        result: Half points of seat 0 in games that ended, int16, shape (games,).
        count: Episodes that ended so far, int64, shape (games,); counted up.
        rewards: float32, shape (games, 2); filled.
        terminated: bool, shape (games,); filled.
        truncated: bool, shape (games,); filled.
    """
    for k in range(ended.shape[0]):
        rewards[k, 0] = 0
        rewards[k, 1] = 0
        terminated[k] = ended[k] == 1
        truncated[k] = ended[k] == 2
        if ended[k] != 0:
            reward = result[k] / 2
            rewards[k, 0] = reward
            rewards[k, 1] = -reward
            count[k] += 1
