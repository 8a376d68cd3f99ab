"""Programs of the release build with some of their sources changed.

Only the batches of the changed sources are recompiled (cmake/batches.cmake), with the release
build's own flags; everything else is linked as it is in build/release.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "build" / "release"
BUILD = ROOT / "build" / "mutants"


# The settings that the presets of CMakePresets.json give to ccache.
CACHE = {"CCACHE_DEPEND": "1",
         "CCACHE_SLOPPINESS": "pch_defines,time_macros,include_file_mtime,include_file_ctime"}


class BuildError(Exception):
    """What the compiler or linker said."""


def must(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(map(str, command[:4]))} ... failed:\n{done.stdout}"
                         f"{done.stderr}")
    return done.stdout


class Batch:
    """Sources that are compiled together."""

    def __init__(self, step):
        self.path = pathlib.Path(step["file"])
        self.name = self.path.stem
        self.words = shlex.split(step["command"])
        self.sources = re.findall(r'^#include "([^"]+\.cc)"', self.path.read_text(), re.MULTILINE)

    def compile(self, changed, folder, options=()):
        """Compiles with `changed` {source: path of its copy}; returns the object in the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        batch, made = folder / self.path.name, folder / f"{self.name}.o"
        batch.write_text("".join(f'#include "{changed.get(source, source)}"\n'
                                 for source in self.sources))
        words = [*self.words, "-w", "-Wno-narrowing", *options]
        for option, value in (("-c", batch), ("-o", made), ("-MT", made),
                              ("-MF", folder / f"{self.name}.d")):
            words[words.index(option) + 1] = str(value)
        must(words, cwd=RELEASE, env={**os.environ, **CACHE})
        return made


class Release:
    """The release build, and what its programs consist of."""

    def __init__(self, programs):
        """Builds the programs from the unchanged sources first."""
        self.links = {}
        if not (RELEASE / "build.ninja").exists():
            must(["cmake", "--preset", "release"], cwd=ROOT)
        must(["cmake", "--build", "--preset", "release", "--target", *programs], cwd=ROOT)
        steps = json.loads(must(["ninja", "-C", RELEASE, "-t", "compdb"]))
        self.steps = [step for step in steps if step["file"].endswith(".cc")]
        for program in programs:
            commands = must(["ninja", "-C", RELEASE, "-t", "commands", program])
            self.links[program] = shlex.split(
                commands.strip().splitlines()[-1].split(" && ")[1])

    def batches(self, module):
        folder = f"CMakeFiles/muster_{module}.dir/"
        return [Batch(step) for step in self.steps if step["output"].startswith(folder)]

    def archive(self, module, objects):
        """Makes the module's library from `objects` {batch's name: object} and, for all other
        batches, from what the release build compiled."""
        path = BUILD / f"libmuster_{module}.a"
        path.unlink(missing_ok=True)
        members = []
        for step in self.steps:
            if step["output"].startswith(f"CMakeFiles/muster_{module}.dir/"):
                members.append(objects.get(pathlib.Path(step["file"]).stem,
                                           RELEASE / step["output"]))
        must(["llvm-ar-19", "qcs", path, *members])
        return path

    def link(self, program, archives, target, objects=()):
        """Links a program with `archives` {module: path} in place of those of the release build."""
        places = {f"libmuster_{module}.a": str(path) for module, path in archives.items()}
        words = [places.get(word, word) for word in self.links[program]]
        words[words.index("-o") + 1] = str(target)
        first = words.index("-o")
        must([*words[:first], *map(str, objects), *words[first:]], cwd=RELEASE)
        return target
