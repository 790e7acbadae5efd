"""Fixtures of the Battle for Macragge tests."""

from __future__ import annotations

from typing import Any

import pytest
from macragge.rules.table import position

from broodmind.envs.macragge.tables import tables


@pytest.fixture(scope="session")
def lookup() -> Any:
    """The one record of the tables that the rules look up."""
    return tables()[0]


@pytest.fixture
def crash_site() -> Any:
    """Mission 1 in its standard layout, dice strict, at the Ultramarines' first decision."""
    return position(1)


@pytest.fixture
def rescue() -> Any:
    """Mission 2 in its standard layout, dice strict, at the Ultramarines' first decision."""
    return position(2)
