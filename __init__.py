"""Asymmetric tabletop games as exact, fast multi-agent environments."""

from broodmind.envs.core.registration import env_ids, make, make_vec, register_game

__version__ = "0.1.0"
__all__ = ["__version__", "env_ids", "make", "make_vec", "register_game"]
