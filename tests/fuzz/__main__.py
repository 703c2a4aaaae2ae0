"""
Fuzz the Python registry: `python -m tests.fuzz --inputs 1000000`.

Each surface runs in a process of its own under atheris (coverage of the registry's Python code
guides what is tried), from the corpus in this folder; a million inputs take some minutes.
What breaks a promise is kept, and printed with the command that repeats it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eureka_tck.clock import Clock
from tests.fuzz.surface import surfaces

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE: Final = Path(__file__).parent
LONGEST: Final = 2048  # bytes of an input; longer ones find nothing that these do not
SLOWEST: Final = 10  # seconds for one input
SHARES: Final = {"json": 0.25, "xml": 0.25, "batch": 0.2, "answers": 0.1, "list": 0.1, "http": 0.1}
"""Of all inputs; a request costs as much as ten registrations."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0 if nothing was found."""
    told = _parser().parse_args(arguments)
    if told.child:
        _fuzz(told.child, told.libfuzzer)
    if told.repeat:
        surfaces()[told.surface or "http"](told.repeat.read_bytes())
        return 0
    clock = Clock()
    names = [told.surface] if told.surface else list(SHARES)
    total = sum(SHARES[name] for name in names)
    done = broken = 0
    started = clock.now()
    for name in names:
        inputs = max(1, round(told.inputs * SHARES[name] / total))
        began = clock.now()
        tried, found = _child(name, inputs, told.seed)
        seconds = clock.now() - began
        done += tried
        broken += bool(found)
        rate = tried / seconds
        _say(f"{name:8} {tried:9,} inputs in {seconds:6.1f} s, {rate:8,.0f} a second{found}")
    seconds = clock.now() - started
    _say(f"{done:,} inputs in {seconds:.1f} s, {done / seconds:,.0f} a second; {broken} broken")
    return 1 if broken else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="how many in all (1000000)")
    parser.add_argument("--surface", choices=SHARES, help="only this one (all)")
    parser.add_argument("--seed", type=int, default=1, help="of what is tried (1)")
    parser.add_argument("--repeat", type=Path, metavar="FILE", help="try one input again")
    parser.add_argument("--child", choices=SHARES, help=argparse.SUPPRESS)
    parser.add_argument("libfuzzer", nargs="*", help=argparse.SUPPRESS)
    return parser


def _child(name: str, inputs: int, seed: int) -> tuple[int, str]:
    """Fuzz one surface in a process of its own; return how many inputs, and what broke."""
    with tempfile.TemporaryDirectory(prefix="eureka-fuzz-") as folder:
        corpus = Path(folder) / "corpus"
        shutil.copytree(HERE / "corpus" / name, corpus)
        flags = [
            *(f"-runs={inputs}", f"-seed={seed}", f"-max_len={LONGEST}", f"-timeout={SLOWEST}"),
            *(f"-dict={HERE / 'words.dict'}", f"-artifact_prefix={folder}/", "-verbosity=0"),
            "-print_final_stats=1",
        ]
        run = subprocess.run(
            [sys.executable, "-m", "tests.fuzz", "--child", name, "--", *flags, str(corpus)],
            cwd=HERE.parent.parent,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        counted = re.search(r"number_of_executed_units: (\d+)", run.stderr)
        tried = int(counted[1]) if counted else 0
        if run.returncode == 0:
            return tried, ""
        kept = [_kept(name, one) for one in Path(folder).glob("*-*") if one.is_file()]
        commands = [f"python -m tests.fuzz --surface {name} --repeat {one}" for one in kept]
        return tried, "\n".join(["", run.stdout[-2000:], run.stderr[-4000:], *commands])


def _kept(name: str, artifact: Path) -> Path:
    """Keep an input that broke something where the temporary folder does not take it away."""
    return Path(shutil.copy(artifact, Path(tempfile.gettempdir()) / f"{name}-{artifact.name}"))


def _fuzz(name: str, flags: Sequence[str]) -> None:
    """Fuzz in this process; ends it."""
    import atheris  # type: ignore[import-untyped] # noqa: PLC0415 - instruments what is there

    with atheris.instrument_imports(include=["eureka"]):
        for module in [one for one in sys.modules if one.startswith(("eureka.", "tests.fuzz.s"))]:
            del sys.modules[module]
        from tests.fuzz.surface import surfaces as instrumented  # noqa: PLC0415 - as said above

    surface = instrumented()[name]
    atheris.Setup([sys.argv[0], *flags], lambda data: surface(bytes(data)))
    atheris.Fuzz()


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
