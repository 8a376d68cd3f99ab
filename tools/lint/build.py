"""Everything compiles with warnings fatal, and every header compiles alone (preset release)."""

import subprocess

import tree as trees

PRESET = "release"


def check(tree):
    folder = tree.root / "build" / PRESET
    commands = [["cmake", "--build", "--preset", PRESET, "--target", "all", "header_check"]]
    if not (folder / "build.ninja").exists():
        commands.insert(0, ["cmake", "--preset", PRESET])
    for command in commands:
        run = subprocess.run(command, cwd=tree.root, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            print(run.stdout[-8000:] + run.stderr[-4000:])
            return [trees.Finding("CMakeLists.txt", 1, f"failed: {' '.join(command)}")]
    return []
