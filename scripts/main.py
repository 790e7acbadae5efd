"""The command `broodmind`: gathers the sub-commands and turns bad input into one-line errors.

Each sub-command lives in a file of its own and imports what is heavy only when it runs, so that ``--help``
is quick.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, NoReturn

import typer

from broodmind.envs.core.errors import BroodmindError
from broodmind.scripts import (
    benchmark,
    demo,
    evaluate,
    export,
    list_environments,
    play,
    regret,
    replay,
    soak,
    train,
)
from broodmind.training.threads import yield_when_idle

BAD_INPUT = 2
INTERRUPTED = 130

UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer does not export it


def _refuse(message: str) -> NoReturn:
    """Print a one-line error and leave with the exit code of bad input."""
    typer.echo(f"error: {' '.join(message.split())}", err=True)
    raise typer.Exit(BAD_INPUT)


class OneLineErrors(typer.core.TyperGroup):
    """A command group whose bad input ends in one line on stderr; unexpected errors keep their traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the sub-command, turning typed errors and interrupts into a sentence and an exit code."""
        try:
            return super().invoke(ctx)
        except BroodmindError as error:
            _refuse(str(error))
        except KeyboardInterrupt:
            typer.echo("\nstopped by Ctrl-C; finished files are kept", err=True)
            raise typer.Exit(INTERRUPTED) from None

    def main(  # type: ignore[override]  # what is not named here is passed on
        self, args: Any = None, prog_name: str | None = None, **extra: Any
    ) -> Any:
        """Run the command line; usage errors become one line with exit code 2."""
        yield_when_idle()  # before a command imports PyTorch: the files of commands do not (a test sees to it)
        standalone = extra.pop("standalone_mode", True)
        if not standalone:
            return super().main(args, prog_name, standalone_mode=False, **extra)
        code: Any = 0
        try:
            code = super().main(args, prog_name, standalone_mode=False, **extra)
        except typer.Abort:
            typer.echo("stopped: the input ended", err=True)
            code = 1
        except UsageError as error:
            context = getattr(error, "ctx", None)
            if type(error).__name__ == "NoArgsIsHelpError":  # `broodmind` alone: the help is the answer
                typer.echo(context.get_help() if context else str(error), err=True)
            else:
                message = getattr(error, "format_message", error.__str__)()
                where = context.command_path if context else "broodmind"
                typer.echo(f"error: {' '.join(message.split()).rstrip('.')} (see `{where} --help`)", err=True)
            code = BAD_INPUT
        sys.exit(code if isinstance(code, int) else 0)


app = typer.Typer(
    name="broodmind",
    cls=OneLineErrors,
    help="Asymmetric tabletop games for reinforcement learning: train both factions, evaluate, play, replay.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    epilog="Begin with [bold]broodmind demo[/bold]: the whole job in small, about two minutes.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from broodmind.envs.core.replay import package_version

        typer.echo(f"broodmind {package_version()}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Asymmetric tabletop games for reinforcement learning: train both factions, evaluate, play, replay."""


for name, command in (
    ("demo", demo.demo),
    ("list", list_environments.list_environments),
    ("train", train.train),
    ("evaluate", evaluate.evaluate),
    ("play", play.play),
    ("replay", replay.replay),
    ("benchmark", benchmark.benchmark),
    ("export", export.export),
    ("soak", soak.soak),
    ("regret", regret.regret),
):
    app.command(name)(command)
