"""`broodmind play`: a game in the terminal, against a policy or another person."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from broodmind.envs.core.errors import BroodmindError, ConfigError
from broodmind.scripts.common import TakeBack, shorten

if TYPE_CHECKING:
    from rich.console import Console

    from broodmind.scripts.session import Roll, Session

HELP = """\
[bold]Choosing[/bold]
  12              the choice with that number
  select octavian a name, or any part of one that fits a single choice
  +3,-2  or  3 -2 an offset (column, then row) where offsets are asked for; 'dest 3 -2' does the same
  Coordinates and offsets count steps of the board's grid, distances are told in the game's own units: in Battle for
  Macragge a step is half an inch, so (14, 20) lies 7 and 10 inches from the table's edges and +3,-2 moves 1.8 inches.
[bold]Asking[/bold]
  board           draw the board again
  list            the choices again;  all: every one on a line of its own
  why ACTION      why something is not legal now, with the clause of the rules
  events          everything that has happened, from the start
[bold]The game[/bold]
  undo            back to your last decision (rolled dice stay as they are)
  save FILE       write the game to a file;  load FILE: take one up again
  help            this text
  quit            leave
[bold]Real dice[/bold]
  4               what the die shows;  undo: back to your last decision;  help and quit as ever
  corridor        what was drawn, where something is drawn: its name, a part of it, or its number"""

LONGEST_ECHO = 200
"""Piped lines are shown up to this length."""

NOTHING_TO_TAKE_BACK = "  there is nothing to take back: this is your first decision"

LEAVE = {"quit", "exit", "q"}


class Terminal:
    """Lines in, lines out; works on a terminal and with piped input."""

    def __init__(self, output: Console) -> None:
        self.output = output
        self.interactive = sys.stdin.isatty()
        if self.interactive:
            with contextlib.suppress(ImportError):  # gives input() editing and history, where there is one
                import readline  # noqa: F401

    def ask(self, prompt: str) -> str:
        """Read a line.

        Raises:
            EOFError: The input has ended.
        """
        typed = input(prompt)
        if not self.interactive:
            self.plain(
                shorten(typed, LONGEST_ECHO)
            )  # so that a transcript of piped input reads like a session
        return typed.strip()

    def plain(self, text: str = "") -> None:
        """Print text as it is."""
        self.output.print(text, markup=False, highlight=False)

    def styled(self, text: str) -> None:
        """Print text with rich's markup."""
        self.output.print(text, highlight=False)


class Table:
    """The loop of questions and answers around a session.

    Args:
        session: The game.
        terminal: Where people sit.
        record: File for the replay at the end; None for none.
    """

    def __init__(self, session: Session, terminal: Terminal, record: Path | None) -> None:
        self.session = session
        self.terminal = terminal
        self.record = record
        self.commands: dict[str, Callable[[str], bool]] = {
            "help": self._help,
            "?": self._help,
            "board": self._board,
            "list": self._list,
            "all": self._all,
            "why": self._why,
            "events": self._events,
            "undo": self._undo,
            "save": self._save,
            "load": self._load,
        }

    def run(self) -> None:
        """Play until the game ends, the input ends or people leave."""
        show = True
        while True:
            try:
                self._policies()
                if self.session.over:
                    self._end()
                    return
                if show:
                    self._present()
                show = self._turn()
            except EOFError:
                self._leave("the input has ended")
                return
            except StopIteration:
                self._leave("you left the game")
                return
            except TakeBack:
                show = self.session.take_back()
                if not show:
                    self.terminal.plain(NOTHING_TO_TAKE_BACK)
            except BroodmindError as error:
                self.terminal.plain(f"  {error}")
                show = False

    def _turn(self) -> bool:
        """Read and follow one line; return whether the position is to be shown anew."""
        typed = self.terminal.ask(f"{self.session.agent}> ")
        if not typed:
            return False
        word, _, rest = typed.partition(" ")
        if typed.lower() in LEAVE:
            raise StopIteration
        command = self.commands.get(word.lower())
        if command is not None:
            return command(rest.strip())
        self.session.act(self.session.menu().find(typed))
        return True

    # -- showing --------------------------------------------------------------------------------------------

    def _policies(self) -> None:
        decisions = self.session.advance()
        if decisions:
            shown = decisions[-8:]
            if len(decisions) > len(shown):
                self.terminal.plain(f"  ({len(decisions) - len(shown)} more decisions before these)")
            for agent, words in shown:
                self.terminal.plain(f"  {agent}: {words}")

    def _present(self) -> None:
        news = self.session.news()
        if news:
            self.terminal.styled("\n[bold]What happened[/bold]")
            for sentence in news:
                self.terminal.plain(f"  - {sentence}")
        self.terminal.plain()
        self.terminal.plain(self.session.board())
        self.terminal.styled("")
        self.terminal.output.print(self.session.question(), style="bold", markup=False, highlight=False)
        self._list("")

    def _end(self) -> None:
        for sentence in self.session.news():
            self.terminal.plain(f"  - {sentence}")
        self.terminal.plain()
        self.terminal.plain(self.session.board())
        result = self.session.recorder.replay.result
        rewards = result["rewards"]
        winner = max(rewards, key=rewards.get)
        if result["truncated"]:
            verdict = "The game ends undecided: the limit of turns is reached."
        elif rewards[winner] > 0:
            verdict = f"{winner} wins ({rewards[winner]:+g})."
        else:
            verdict = "A draw."
        self.terminal.output.print(f"\n{verdict}", style="bold", markup=False, highlight=False)
        self._write_record()

    def _leave(self, reason: str) -> None:
        self.terminal.plain(f"\n{reason}; the game is not finished")
        self._write_record()

    def _write_record(self) -> None:
        if self.record is not None:
            path = self.session.save(self.record)
            self.terminal.plain(f"replay: {path} (`broodmind replay {path}`)")

    # -- commands: each returns whether to show the position anew ------------------------------------------

    def _help(self, rest: str) -> bool:
        self.terminal.styled(HELP)
        return False

    def _board(self, rest: str) -> bool:
        self.terminal.plain(self.session.board())
        return False

    def _list(self, rest: str) -> bool:
        for line in self.session.menu().lines():
            self.terminal.plain(f"  {line}")
        return False

    def _all(self, rest: str) -> bool:
        for line in self.session.menu().lines(everything=True):
            self.terminal.plain(f"  {line}")
        return False

    def _why(self, rest: str) -> bool:
        action = self.session.menu().parse(rest)
        if not rest:
            self.terminal.plain("  say which action: why ACTION, for example 'why pass'")
        elif action is None:
            self.terminal.plain(f"  no action is called {shorten(rest)!r}; names look like those in 'list'")
        else:
            name = self.session.env.game.actions.name(action)
            reason = self.session.why(action)
            self.terminal.plain(f"  {name}: {reason}" if reason else f"  {name} is legal now")
        return False

    def _events(self, rest: str) -> bool:
        for sentence in self.session.sentences:
            self.terminal.plain(f"  - {sentence}")
        return False

    def _undo(self, rest: str) -> bool:
        if self.session.undo():
            return True
        self.terminal.plain(NOTHING_TO_TAKE_BACK)
        return False

    def _save(self, rest: str) -> bool:
        if rest:
            path = self.session.save(Path(rest).expanduser())
            self.terminal.plain(f"  saved to {path}; 'load {path}' takes it up again")
        else:
            self.terminal.plain("  say where: save FILE")
        return False

    def _load(self, rest: str) -> bool:
        if not rest:
            self.terminal.plain("  say which: load FILE")
            return False
        self.session.load(Path(rest).expanduser())
        return True


def play(
    env_id: Annotated[
        str, typer.Argument(metavar="ID", help="Environment id, as `broodmind list` shows them.")
    ],
    seat: Annotated[
        str | None, typer.Option("--as", metavar="AGENT", help="Your agent; the first one if not given.")
    ] = None,
    against: Annotated[
        str,
        typer.Option(
            metavar="SPEC",
            help="Who plays the other seat: random, scripted, search:N, checkpoint:NAME or human.",
        ),
    ] = "scripted",
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the game; drawn and shown if not given.")
    ] = None,
    layout: Annotated[
        str | None, typer.Option(help="Layout of the board, such as random or standard.")
    ] = None,
    max_turns: Annotated[
        int | None, typer.Option(help="Turns after which the game stops; 0 for no limit.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Data files that take the place of the game's own (docs/data.md)."
        ),
    ] = None,
    dice: Annotated[
        str,
        typer.Option(
            metavar="automatic|manual", help="manual: you roll real dice and type in what they show."
        ),
    ] = "automatic",
    load: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take up a game that 'save' wrote.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a replay when the game ends or you leave.")
    ] = None,
) -> None:
    """Play a game in the terminal against a policy (or another person).

    The board is drawn as text, choices are numbered and named, and what happened is told in sentences.
    Type `help` at the prompt for all commands: undo, save, load, why, board and more. Input may be piped.
    """
    import secrets

    import broodmind
    from broodmind.scripts import common
    from broodmind.scripts.players import seat_players
    from broodmind.scripts.session import Session

    if dice not in {"automatic", "manual"}:
        raise ConfigError(f"--dice is {dice!r}; expected automatic or manual")
    options = common.game_options(layout, max_turns, data)
    env = broodmind.make(env_id, **options).unwrapped
    agents = list(env.possible_agents)
    own = common.check_agent(seat, agents) if seat else agents[0]
    if record is not None:
        common.check_writable(record)
    chosen = seed if seed is not None else secrets.randbelow(2**31)
    specs = {agent: against for agent in agents if agent != own and against != "human"}
    output = common.console()
    terminal = Terminal(output)
    players = seat_players(env, specs, chosen)
    common.warm_up(env_id)
    session = Session(env, players, options, _ask_roll(terminal) if dice == "manual" else None)
    others = against if specs else "another person"
    if load is not None:
        session.load(load)
        chosen = session.recorder.replay.seed  # the saved game's
    terminal.plain(f"{env_id}, seed {chosen}: you are {own} against {others}. Type 'help' for the commands.")
    try:
        if load is None:
            session.begin(chosen)
    except EOFError:  # while dice of the set-up were asked for
        terminal.plain("\nthe input has ended; the game has not begun")
        return
    except StopIteration:
        terminal.plain("\nyou left the game before it had begun")
        return
    Table(session, terminal, record).run()


def _ask_roll(terminal: Terminal) -> Callable[[Roll], int]:
    """Return a function that asks for a real roll."""
    told: list[str] = []

    def ask(roll: Roll) -> int:
        nonlocal told
        before = list(roll.before)
        fresh = before[len(told) :] if told and before[: len(told)] == told else before
        for sentence in fresh:
            terminal.plain(f"  - {sentence}")
        told = before
        if roll.purpose:
            terminal.plain(f"  {roll.purpose} ...")
        if roll.named:
            terminal.plain(f"  {', '.join(f'{number}: {name}' for number, name in roll.named.items())}")
        if roll.high != 6 and roll.outcomes:  # no ordinary die: say what its numbers mean
            meanings = (f"{number}: {text}" for number, text in enumerate(roll.outcomes, roll.low))
            terminal.plain(f"  {', '.join(meanings)}")
        prompt = f"roll a die ({roll.low} to {roll.high}) and type what it shows: "
        if roll.named:
            prompt = "draw one and type its number or name: "
        while True:
            typed = terminal.ask(prompt)
            if roll.named:
                meant = _named(roll.named, typed)
                if meant is not None:
                    return meant
            elif typed.isdecimal() and len(typed) < 4 and roll.low <= int(typed) <= roll.high:
                return int(typed)
            word = typed.lower()
            if word in LEAVE:
                raise StopIteration
            if word == "undo":
                raise TakeBack
            if word in {"help", "?"}:
                terminal.styled(HELP)
            else:
                wanted = f"a number from {roll.low} to {roll.high}"
                wanted = "one of the numbers or names above" if roll.named else wanted
                terminal.plain(f"  {shorten(typed)!r} is no such roll; type {wanted}, undo, help or quit")

    return ask


def _named(named: Mapping[int, str], typed: str) -> int | None:
    """Return the number that somebody means by a number, a name, or a part of one name only."""
    word = typed.lower()
    if typed.isdecimal() and len(typed) < 4:
        return int(typed) if int(typed) in named else None
    exact = [number for number, name in named.items() if name.lower() == word]
    found = exact or [number for number, name in named.items() if word and word in name.lower()]
    return found[0] if len(found) == 1 else None
