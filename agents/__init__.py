"""Who plays: random, scripted, search and checkpoint policies behind one protocol, named by spec strings.

Importing this package is cheap: PyTorch and Numba are loaded when a policy that needs them first plays.
"""

from broodmind.agents.policy import Policy
from broodmind.agents.specs import PolicySpec, make_policy, parse_spec

__all__ = ["Policy", "PolicySpec", "make_policy", "parse_spec"]
