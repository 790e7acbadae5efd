"""`broodmind benchmark`: decisions per second, where the time goes, and other environments beside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer


def benchmark(
    env_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Environment id; all of them if not given.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.05, help="Length of one measurement.")] = 1.0,
    rounds: Annotated[int, typer.Option(min=1, help="Measurements of each thing, taken in turns.")] = 5,
    num_envs: Annotated[int, typer.Option(min=1, help="Games of the batch.")] = 1024,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads of the batch; one per core if not given.")
    ] = None,
    training: Annotated[bool, typer.Option(help="Measure training too.")] = True,
    peers: Annotated[
        bool, typer.Option(help="Measure PettingZoo's and OpenSpiel's games beside, if installed.")
    ] = True,
    start: Annotated[
        bool, typer.Option(help="Measure importing and the first step, in new processes.")
    ] = True,
    cold: Annotated[
        bool, typer.Option("--cold", help="Measure a first compile too, from an empty cache.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write everything as JSON.")] = None,
) -> None:
    r"""Measure how fast the environments are, and print a table.

    Everything is measured in turns within one run, since machines drift; the medians are shown, and ratios
    to other libraries' environments. pip install 'broodmind\[bench]' adds those.
    """
    import broodmind
    from broodmind.envs.core.chunks import usable_cpus
    from broodmind.scripts import common, measure

    if out is not None:
        common.check_writable(out)
    chosen = [env_id] if env_id else broodmind.env_ids()
    workers = threads or usable_cpus()
    output = common.console()
    for one in chosen:
        common.warm_up(one, batch=True)
    result: dict[str, Any] = {"machine": measure.machine(), "threads": workers, "environments": {}}
    others, missing = measure.peers() if peers else ({}, [])
    contenders: dict[str, tuple[str, measure.Contender]] = dict(others)
    for one in chosen:
        contenders |= measure.contenders(one, num_envs, workers)
    with output.status("measuring..."):
        rates = measure.interleave(contenders, rounds, seconds)
    for one in chosen:
        entry = summary(one, rates, list(others))
        with output.status(f"measuring the parts of a decision of {one}..."):
            entry["split_microseconds"] = measure.time_split(one, seconds=seconds)
        if start:
            with output.status(f"starting {one} in new processes..."):
                entry["start_seconds"] = measure.start_times(one)
                if cold:
                    entry["cold_start_seconds"] = measure.start_times(one, cold=True)
        if training:
            from broodmind.training.benchmark import training_speed

            with output.status(f"training on {one}..."):
                entry["training"] = training_speed(one, seconds=max(2 * seconds * rounds, 0.1))
        result["environments"][one] = entry
        output.print(table(one, entry))
        output.print(words(entry), markup=False, highlight=False)
    result["peers"] = {name: rates[name].to_dict() for name in others}
    result["rates"] = {name: rate.to_dict() for name, rate in rates.items()}
    result["missing"] = missing
    for sentence in missing:
        output.print(sentence, markup=False, highlight=False)
    if out is not None:
        from broodmind.envs.core.replay import write_atomically

        common.say(f"written: {write_atomically(out, json.dumps(result, indent=2) + chr(10))}")


def summary(env_id: str, rates: dict[str, Any], peers: list[str]) -> dict[str, Any]:
    """Return the rates of one environment, with their ratios to others'."""
    from broodmind.scripts.measure import AEC, BATCH, LIMIT

    aec, batch, limit = (rates[f"{env_id} {kind}"].per_second for kind in (AEC, BATCH, LIMIT))
    return {
        "aec_per_second": aec,
        "batch_per_second": batch,
        "memory_limit_per_second": limit,
        "batch_share_of_memory_limit": batch / limit,
        "aec_ratio": {name: aec / rates[name].per_second for name in peers},
        "batch_ratio": {name: batch / rates[name].per_second for name in peers},
        "peers_per_second": {name: rates[name].per_second for name in peers},
    }


def table(env_id: str, entry: dict[str, Any]) -> Any:
    """Return the table of one environment for the terminal."""
    from rich.table import Table

    found = Table(title=env_id, title_justify="left")
    found.add_column("what", overflow="fold")
    found.add_column("per second", justify="right")
    for name in entry["peers_per_second"]:
        found.add_column(f"x {name}", justify="right", overflow="fold")

    def row(what: str, rate: float, ratios: dict[str, float]) -> None:
        cells = [f"{ratios[name]:,.1f}" if name in ratios else "" for name in entry["peers_per_second"]]
        found.add_row(what, f"{rate:,.0f}", *cells)

    row("AEC face: decisions, one core", entry["aec_per_second"], entry["aec_ratio"])
    row("batch: decisions, all threads", entry["batch_per_second"], entry["batch_ratio"])
    if "training" in entry:
        row("training: decisions of the learner", entry["training"]["steps_per_second"], {})
    row("filling the batch's arrays alone", entry["memory_limit_per_second"], {})
    for name, rate in entry["peers_per_second"].items():
        row(name, rate, {})
    return found


def words(entry: dict[str, Any]) -> str:
    """Return what bounds the numbers of one environment, in sentences."""
    split = entry["split_microseconds"]
    parts = ", ".join(f"{name} {split[name]:.2f}" for name in ("rules", "mask", "observation"))
    lines = [
        f"A decision of the batch costs {split['decision']:.2f} microseconds of one core: {parts} (what changed; "
        f"a whole observation takes {split['whole_observation']:.2f}).",
        f"The batch runs at {entry['batch_share_of_memory_limit']:.0%} of the rate at which its arrays alone "
        "can be filled with new bytes.",
        f"The AEC face spends {1e6 / entry['aec_per_second']:.1f} microseconds on a decision, the player's "
        "choosing included; what the kernels do not take is Python.",
    ]
    if "training" in entry:
        shares = ", ".join(f"{name} {share:.0%}" for name, share in entry["training"]["shares"].items())
        lines.append(f"Time of training: {shares}.")
    if "start_seconds" in entry:
        start = entry["start_seconds"]
        lines.append(
            f"Importing broodmind takes {start['import']:.2f} s; making the environment and the first step, "
            f"with a warm cache, {start['first_step']:.2f} s."
        )
    if "cold_start_seconds" in entry:
        lines.append(
            f"With an empty cache the first step takes {entry['cold_start_seconds']['first_step']:.1f} s."
        )
    return "\n".join(lines)
