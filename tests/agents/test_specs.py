import subprocess
import sys

import pytest

from broodmind.agents import Policy, make_policy, parse_spec
from broodmind.agents.seeds import SeededPolicy
from broodmind.envs.core.errors import CheckpointError, PolicySpecError, UnknownEnvironmentError

RACE = "toy/race-v0"


@pytest.mark.parametrize(
    "spec", ["random", "scripted", "search:7", "search:7?limit=3", "search:7?limit=3&playout=random"]
)
def test_specs_make_policies_that_know_their_spec(spec):
    policy = make_policy(spec, RACE, "runner_0")
    assert policy.spec == spec
    assert isinstance(policy, Policy)
    assert isinstance(policy, SeededPolicy)
    assert spec in repr(policy)


@pytest.mark.parametrize("spec", ["scripted:tuned", "scripted:swarm"])
def test_other_scripted_players_are_asked_where_there_are_any(spec):
    policy = make_policy(spec, "macragge/rescue-varras-v0", "tyranids_0")
    assert policy.spec == spec
    assert isinstance(policy, SeededPolicy)


def test_an_unknown_scripted_player_is_refused_with_the_names_of_those_there_are():
    with pytest.raises(PolicySpecError, match="'scripted' or 'scripted:tuned' or 'scripted:swarm'"):
        make_policy("scripted:wild", "macragge/rescue-varras-v0", "tyranids_0")


def test_spec_is_taken_apart():
    parsed = parse_spec(" checkpoint:C:/runs/a b?temperature=0.5&sample ")
    assert (parsed.kind, parsed.argument) == ("checkpoint", "C:/runs/a b")
    assert parsed.options == {"temperature": "0.5", "sample": ""}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("rnadom", ["did you mean 'random'", "scripted", "search:N", "checkpoint:NAME", "human"]),
        ("scriptd", ["did you mean 'scripted'"]),
        ("Search:10", ["did you mean 'search:N'"]),
        ("serch:10", ["did you mean 'search:N'"]),
        ("", ["random", "checkpoint:NAME"]),
        (None, ["NoneType"]),
        (3, ["int"]),
        ("random:1", ["takes no argument"]),
        ("random?x=1", ["takes no argument"]),
        ("scripted?x=1", ["write 'scripted' or 'scripted:NAME'"]),
        ("scripted:tuned", ["has no scripted player 'tuned'", "write 'scripted'"]),
        ("search", ["search:200"]),
        ("search:", ["search:200"]),
        ("search:0", ["whole number"]),
        ("search:-1", ["whole number"]),
        ("search:1.5", ["whole number"]),
        ("search:9999999999999999999999", ["whole number"]),
        ("search:²", ["whole number"]),
        ("search:5?limit=x", ["limit"]),
        ("search:5?depth=2", ["unknown option 'depth'", "limit, playout"]),
        ("search:5?playout=clever", ["clever"]),
        ("checkpoint", ["checkpoint:shipped"]),
        ("checkpoint:x?sample=1", ["takes no value"]),
        ("checkpoint:x?temperature=nan", ["temperature"]),
        ("checkpoint:x?temperature=-1", ["temperature"]),
        ("checkpoint:x?greedy", ["unknown option"]),
        ("human", ["broodmind play"]),
    ],
)
def test_bad_specs_get_one_clear_sentence(spec, words):
    with pytest.raises(PolicySpecError) as caught:
        make_policy(spec, RACE, "runner_0")
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_wrong_agent_environment_and_checkpoint():
    with pytest.raises(PolicySpecError, match="did you mean 'runner_0'"):
        make_policy("random", RACE, "runer_0")
    with pytest.raises(UnknownEnvironmentError, match="toy/race-v0"):
        make_policy("random", "toy/rce-v0", "runner_0")
    with pytest.raises(CheckpointError, match="no checkpoint 'nowhere/at/all'"):
        make_policy("checkpoint:nowhere/at/all", RACE, "runner_0")


def test_importing_the_package_loads_neither_torch_nor_numba():
    code = "import sys, broodmind.agents; print([m for m in ('torch', 'numba', 'rich') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
