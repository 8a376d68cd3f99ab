"""Python compiles and passes ruff; shell scripts pass shellcheck."""

import ast
import json
import os
import re
import shutil
import subprocess

import tree as trees


def check(tree):
    return [*python_syntax(tree), *ruff(tree), *shellcheck(tree)]


def python_syntax(tree):
    findings = []
    for path in tree.python():
        try:
            ast.parse(tree.text(path), path)
        except SyntaxError as error:
            findings.append(trees.Finding(path, error.lineno or 1, f"Python: {error.msg}"))
    return findings


def ruff(tree):
    """The pinned ruff lives in the environment of the tests; tools/setup_python makes it once."""
    environment = subprocess.run([trees.ROOT / "tools/setup_python", "test"], capture_output=True,
                                 text=True, check=False)
    if environment.returncode != 0:
        return [trees.Finding("test/requirements.txt", 1, environment.stderr.strip())]
    command = [f"{environment.stdout.strip()}/bin/ruff", "check", "--no-cache",
               "--output-format=json", "--config", trees.ROOT / "ruff.toml", *tree.python()]
    run = subprocess.run(command, cwd=tree.root, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        return [trees.Finding("ruff.toml", 1, run.stderr.strip())]
    return [trees.Finding(os.path.relpath(item["filename"], tree.root), item["location"]["row"],
                          f"{item['message']} [{item['code']}]")
            for item in json.loads(run.stdout or "[]")]


def shellcheck(tree):
    if not tree.shell():
        return []
    if not shutil.which("shellcheck"):
        return [trees.Finding("tools/lint/scripts.py", 1,
                              "shellcheck is missing: run tools/setup test")]
    run = subprocess.run(["shellcheck", "-f", "gcc", *tree.shell()], cwd=tree.root,
                         capture_output=True, text=True, check=False)
    lines = (re.match(r"(.*?):(\d+):\d+: (.*)", line) for line in run.stdout.split("\n"))
    return [trees.Finding(match.group(1), int(match.group(2)), match.group(3))
            for match in lines if match]
