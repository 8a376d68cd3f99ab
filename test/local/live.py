"""The program behind tools/lives."""

import argparse
import contextlib
import pathlib
import sys
import tempfile
import time

import lives

TESTS = pathlib.Path(__file__).resolve().parents[1]


def arguments():
    parser = argparse.ArgumentParser(prog="tools/lives", description=__doc__)
    parser.add_argument("--on", choices=("local", "yarn", "spark"), default="local")
    parser.add_argument("--seeds", default="1..50", metavar="A..B")
    parser.add_argument("--together", type=int, default=8, metavar="N")
    parser.add_argument("--busy", type=int, default=8, metavar="N")
    parser.add_argument("--nice", type=int, default=0, metavar="N")
    chosen = parser.parse_args()
    first, _, last = chosen.seeds.partition("..")
    chosen.numbers = range(int(first), int(last or first) + 1)
    return chosen


@contextlib.contextmanager
def places(on, folder, together):
    """Returns what makes the place of a life, and what draws its choices."""
    if on == "local":
        yield lives.Local, lives.Choices.of
    elif on == "spark":
        sys.path.insert(0, str(TESTS / "spark"))
        import spark_lives

        with spark_lives.cluster(folder, together) as place:
            yield place, spark_lives.choices
    else:
        sys.path.insert(0, str(TESTS / "hadoop"))
        import yarn_lives

        with yarn_lives.cluster() as place:
            yield place, yarn_lives.choices


def main():
    chosen = arguments()
    begun = time.monotonic()

    def told(life, odd):
        print(f"{'ODD ' if odd else 'well'} {life.choices}", *odd, *life.notes, sep="\n  ",
              flush=True)

    with tempfile.TemporaryDirectory(prefix="lives-") as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        place, draw = stack.enter_context(places(chosen.on, folder, chosen.together))
        stack.enter_context(lives.load(folder, chosen.busy, chosen.nice))
        odd = lives.live_all(map(draw, chosen.numbers), folder, place, chosen.together, told)
    print(f"lives: {len(chosen.numbers)} on {chosen.on}, {len(odd)} odd, "
          f"{time.monotonic() - begun:.0f} s")
    return 1 if odd else 0


if __name__ == "__main__":
    sys.exit(main())
