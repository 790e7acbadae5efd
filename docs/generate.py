"""Writes the reference pages of the environments from their code: ``python docs/generate.py``.

``docs/environments.md``, ``docs/observation.md`` and ``docs/actions.md`` come from what the games declare (missions,
observation layouts, action tables), the signature of ``broodmind.make``, and the prose in ``docs/notes/<game>.toml``.
``python docs/generate.py --check`` writes nothing and fails if a page is out of date, as a test does; ``--pictures``
draws the pictures of ``README.md`` anew instead, and ``--lengths`` plays random games and writes how long they are into
``scripts/episode_lengths.toml``, which ``broodmind list`` shows.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import broodmind
from broodmind.envs.core.actions import Verb
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.game import Game, Mission
from broodmind.envs.core.observation import Block
from broodmind.envs.core.registration import BUILT_IN, game_of

DOCS = Path(__file__).resolve().parent
NOTICE = "<!-- Written by docs/generate.py from the code: edit that, or docs/notes, and run it again. -->"
LONGEST_LIST = 48
"""A verb with more arguments than this is shown by its first and last ones."""
PROSE = {"starting_state", "rewards", "episode_end", "interpretations", "versions"}


def built_in_games() -> list[Game]:
    """Return the games that come with the package."""
    return [game_of(built_in.ids[0]) for built_in in BUILT_IN.values()]


def read_notes(game: Game) -> dict[str, Any]:
    """Return the prose about a game.

    Raises:
        ValueError: The file does not have exactly the environments of the game, each with every text.
    """
    path = DOCS / "notes" / f"{game.name}.toml"
    with path.open("rb") as file:
        notes = tomllib.load(file)
    described, declared = set(notes["environments"]), {mission.id for mission in game.missions}
    if described != declared:
        raise ValueError(f"{path} describes {sorted(described)}, but the game has {sorted(declared)}")
    for env_id, about in notes["environments"].items():
        if set(about) != PROSE:
            raise ValueError(f"{path}: {env_id} has {sorted(about)}; expected exactly {sorted(PROSE)}")
        if env_id.rpartition("-")[2] not in about["versions"]:
            raise ValueError(f"{path}: the versions of {env_id} lack its own")
    return notes


# -- environments.md -----------------------------------------------------------------------------------------


def make_arguments() -> Iterator[tuple[str, str, str]]:
    """Yield name, default and meaning of the arguments of `broodmind.make`, from its signature and docstring."""
    text = inspect.getdoc(broodmind.make) or ""
    section = text.split("Args:\n", 1)[1].split("\n\nReturns:", 1)[0]
    entries = re.findall(r"^    (\*{0,2}\w+): (.*(?:\n {8}.*)*)", section, re.MULTILINE)
    meanings = {name.lstrip("*"): " ".join(meaning.split()) for name, meaning in entries}
    for name, parameter in inspect.signature(broodmind.make).parameters.items():
        if name == "id" or parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        yield name, repr(parameter.default), code_quotes(meanings[name])


def code_quotes(text: str) -> str:
    """Return a docstring's text as Markdown: double backticks as single ones, no bars that would end a cell."""
    return text.replace("``", "`").replace("|", "\\|")


def environment(game: Game, mission: Mission, notes: dict[str, Any]) -> Iterator[str]:
    """Yield the lines about one environment, under the headings that Gymnasium's environments have."""
    about = notes["environments"][mission.id]
    low, high = game.observation_bounds
    first, second = (f"`{agent}`" for agent in game.agents)
    yield f"## {mission.id}"
    yield ""
    yield f"**{game.title}: {mission.title}.** Agents: {first}, {second}."
    yield from ("", "### Description", "", mission.summary)
    yield from ("", "### Action Space", "")
    yield (
        f"`Discrete({game.actions.size})`, the same for both agents and all missions of the game: see "
        f"[actions](actions.md#{anchor(game.title)}). The action mask says which are legal."
    )
    yield from ("", "### Observation Space", "")
    yield (
        f'`Dict("observation": Box({low:g}, {high:g}, ({game.observation.size},), float32), '
        f'"action_mask": Box(0, 1, ({game.actions.size},), int8))`: see '
        f"[observations](observation.md#{anchor(game.title)})."
    )
    yield from ("", "### Starting State", "", unfold(about["starting_state"]))
    yield from ("", "### Rewards", "")
    yield f"0 until the episode ends, then a reward in both seats that sums to zero. {unfold(about['rewards'])}"
    if type(game).potential is not Game.potential:
        yield ""
        yield "Rewards can be shaped by a potential: see [training](training.md#shaped-rewards)."
    yield from ("", "### Episode End", "")
    limit = (
        f"truncated at the end of turn {mission.max_turns} (`max_turns`)"
        if mission.max_turns
        else "truncated only if `max_turns` is set"
    )
    yield f"Terminated: {unfold(about['episode_end'])}"
    yield ""
    yield f"Otherwise {limit}."
    yield ""
    yield "The infos of the last step tell `result` (the agent's reward), `turns` and `decisions`."
    if mission.final_info:
        yield from ("", "Also:", "", "| info | meaning |", "| --- | --- |")
        yield from (f"| `{name}` | {meaning} |" for name, meaning in mission.final_info.items())
    yield from ("", "### Arguments", "", "| argument | default | meaning |", "| --- | --- | --- |")
    for name, default, meaning in make_arguments():
        if name == "max_turns":
            meaning += f" Here: {mission.max_turns or 'none'}."
        elif name == "layout":
            meaning += f" Here: {', '.join(f'`{layout}`' for layout in mission.layouts)}."
        yield f"| `{name}` | `{default}` | {meaning} |"
    for name, (default, meaning) in mission.options.items():
        yield f"| `{name}` | `{default!r}` | {code_quotes(meaning)} |"
    if mission.reset_options:
        yield from ("", "### Reset Options", "", "Beside `dice`, `strict`, `state` and `layout`,")
        yield "`reset(options=...)` takes"
        yield from ("", "| option | meaning |", "| --- | --- |")
        yield from (f"| `{name}` | {meaning} |" for name, meaning in mission.reset_options.items())
    yield from ("", "### Rule Interpretations", "")
    yield from (f"* {line}" for line in (*notes["interpretations"], *about["interpretations"]))
    yield ""
    yield f"All clauses, with the functions that apply them and their tests: [rules ledger](rules/{game.name}.md)."
    yield from ("", "### References", "", *(f"* {line}" for line in notes["references"]))
    yield from (
        "",
        "### Version History",
        "",
        *(f"* {name}: {text}" for name, text in about["versions"].items()),
    )
    yield ""


def environments_page(games: Sequence[Game]) -> str:
    """Return ``environments.md``."""
    lines = [
        NOTICE,
        "",
        "# Environments",
        "",
        "| id | game | mission | actions | observation |",
        "| --- | --- | --- | ---: | ---: |",
    ]
    for game in games:
        for mission in game.missions:
            cells = (
                f"[`{mission.id}`](#{anchor(mission.id)})",
                game.title,
                mission.title,
                f"{game.actions.size}",
                f"{game.observation.size:,}",
            )
            lines.append(f"| {' | '.join(cells)} |")
    lines.append("")
    for game in games:
        notes = read_notes(game)
        for mission in game.missions:
            lines += environment(game, mission, notes)
    return finish(lines)


# -- observation.md ------------------------------------------------------------------------------------------


def block_lines(block: Block, offset: int) -> Iterator[str]:
    """Yield the lines about one block."""
    yield f"### {block.name}"
    yield ""
    row = f"one row per {block.row_meaning}" if block.row_meaning else "one row"
    start = "" if block.rows == 1 else f" + {block.width} x row"
    yield (
        f"{block.rows} x {block.width} ({row}), numbers {offset} to {offset + block.size - 1} of the vector; "
        f"a feature is number {offset}{start} + column."
    )
    yield from ("", "| column | feature | meaning and scale |", "| ---: | --- | --- |")
    for column, (name, meaning) in enumerate(block.features):
        yield f"| {column} | `{name}` | {meaning} |"
    yield ""


def observation_page(games: Sequence[Game]) -> str:
    """Return ``observation.md``."""
    lines = [NOTICE, "", "# Observations", ""]
    lines += [
        "What `env.observation_layout(agent)` returns, as tables: the vector is made of blocks, a block of rows, a row",
        "of one number per feature. `broodmind.envs.core.wrappers` hands the blocks out as a `Dict` of arrays.",
        "",
    ]
    for game in games:
        low, high = game.observation_bounds
        layout = game.observation
        lines += [f"## {game.title}", ""]
        lines += [
            f"{layout.size:,} numbers (float32, {low:g} to {high:g}), laid out alike for both agents and all missions.",
            "",
            "| block | rows | features | numbers |",
            "| --- | ---: | ---: | --- |",
        ]
        for block in layout.blocks:
            offset = layout.offsets[block.name]
            lines.append(
                f"| {block.name} | {block.rows} | {block.width} | {offset} to {offset + block.size - 1} |"
            )
        lines.append("")
        for block in layout.blocks:
            lines += block_lines(block, layout.offsets[block.name])
    return finish(lines)


# -- actions.md ----------------------------------------------------------------------------------------------


def argument_names(verb: Verb, base: int) -> str:
    """Return the names of a verb's arguments with their ids, the middle left out of long lists."""
    if verb.argument is None:
        return ""
    named = [f"{base + k} {verb.argument(k)}" for k in range(verb.count)]
    if len(named) > LONGEST_LIST:
        named = [*named[:9], "...", *named[-3:]]
    return ", ".join(named)


def actions_page(games: Sequence[Game]) -> str:
    """Return ``actions.md``."""
    lines = [NOTICE, "", "# Actions", ""]
    lines += [
        "An action is a verb with at most one argument; each verb has a block of ids. `env.describe_action(id)` names",
        "an id, `env.parse_action(name)` reads a name back, `env.label_action(id)` says what the action would do in",
        "the position at hand, and `env.explain_action(id)` says why it is illegal there.",
        "",
    ]
    for game in games:
        table = game.actions
        lines += [f"## {game.title}", "", f"{table.size} ids, the same for both agents and all missions.", ""]
        lines += ["| verb | ids | argument or meaning |", "| --- | --- | --- |"]
        for verb in table.verbs:
            base = table.base[verb.name]
            ids = str(base) if verb.count == 1 else f"{base} to {base + verb.count - 1}"
            lines.append(f"| {verb.name} | {ids} | {verb.meaning} |")
        lines.append("")
        for verb in table.verbs:
            names = argument_names(verb, table.base[verb.name])
            if names:
                lines += [f"### {verb.name}", "", names + ".", ""]
    return finish(lines)


# -- all pages -----------------------------------------------------------------------------------------------


def anchor(heading: str) -> str:
    """Return the anchor that Markdown renderers give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def unfold(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def finish(lines: Sequence[str]) -> str:
    """Return the lines as a file's text: no spaces at their ends, one line end at the end."""
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def pages(games: Sequence[Game]) -> dict[str, str]:
    """Return the generated pages: file name -> text."""
    return {
        "environments.md": environments_page(games),
        "observation.md": observation_page(games),
        "actions.md": actions_page(games),
    }


def plan_of_a_squad(env: BoardEnv) -> bool:
    """Say whether Macragge's picture is to be drawn: a squad's plan from turn 4 on."""
    return env.phase_name() == "MOVE_EDIT" and int(env.states[0]["core"]["turn"]) >= 4


def attack_of_a_squad(env: BoardEnv) -> bool:
    """Say whether Overkill's picture is to be drawn: the Deathwatch decides in a game that has begun to hurt."""
    core = env.states[0]["core"]
    return int(core["turn"]) >= 3 and int(core["seat"]) == 0


def maze_with_a_horror(env: BoardEnv) -> bool:
    """Say whether the maze's picture is to be drawn: a large board with the Horror on it."""
    state = env.states[0]
    return int(state["h_tile"]) >= 0 and int((state["nb"] >= 0).any(axis=1).sum()) >= 14


PICTURES: dict[str, tuple[str, int, Callable[[BoardEnv], bool]]] = {
    "rescue-varras.png": ("macragge/rescue-varras-v0", 3, plan_of_a_squad),
    "killstorm.png": ("overkill/killstorm-v0", 3, attack_of_a_squad),
    "full-hulk.png": ("maze/full-hulk-v0", 3, maze_with_a_horror),
}
"""The pictures of README.md: environment, seed of the first game that is looked at, and when it is drawn."""


def draw_picture(name: str) -> Path:
    """Draw a position of a game of two scripted players; return the file."""
    import numpy as np
    from PIL import Image

    from broodmind.agents import make_policy

    env_id, seed, is_wanted = PICTURES[name]
    env: BoardEnv = broodmind.make(env_id, render_mode="rgb_array").unwrapped
    env.reset(seed=seed)
    players = {agent: make_policy("scripted", env_id, agent) for agent in env.possible_agents}
    rng = np.random.default_rng(0)
    while not is_wanted(env):
        agent = env.agent_selection
        if not env.legal_actions():
            env.reset()
            continue
        seen = env.observe(agent)
        env.step(players[agent].act(seen["observation"], seen["action_mask"], rng, env.view(agent)))
    path = DOCS / "images" / name
    path.parent.mkdir(exist_ok=True)
    Image.fromarray(env.render()).save(path, optimize=True)
    return path


def mean_length(env_id: str, games: int) -> float:
    """Return how many decisions an episode has on average in which both seats play at random."""
    import numpy as np

    batch = broodmind.make_vec(env_id, num_envs=games, seed=1)
    batch.reset()
    choose = np.random.default_rng(1)
    going = np.arange(games)
    while len(going):  # first episodes only: long ones are not cut
        batch.step((batch.mask * choose.random(batch.mask.shape)).argmax(axis=1), going)
        going = np.flatnonzero(batch.episode_count == 0)
    return float(batch.episode_length.mean())


def write_lengths(games: int = 200) -> Path:
    """Write how long random games of every environment are; return the file."""
    lines = [
        "# Decisions of an episode of random play, forced ones included: the mean of so many games.",
        "# Written by `python docs/generate.py --lengths`; shown by `broodmind list`.",
        f"games = {games}",
        "",
        "[decisions]",
        *(f'"{env_id}" = {mean_length(env_id, games):.0f}' for env_id in broodmind.env_ids()),
    ]
    path = DOCS.parent / "scripts" / "episode_lengths.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def main() -> int:
    """Write the pages, or compare them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if a page is out of date")
    parser.add_argument("--pictures", action="store_true", help="draw the pictures of README.md instead")
    parser.add_argument("--lengths", action="store_true", help="measure the lengths of random games instead")
    arguments = parser.parse_args()
    if arguments.pictures:
        for name in PICTURES:
            print(f"drawn: {draw_picture(name)}")
        return 0
    if arguments.lengths:
        print(f"written: {write_lengths()}")
        return 0
    check = arguments.check
    stale = []
    for name, text in pages(built_in_games()).items():
        path = DOCS / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
            print(f"written: docs/{name}")
    if check and stale:
        print(f"out of date: {', '.join(stale)}; run python docs/generate.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
