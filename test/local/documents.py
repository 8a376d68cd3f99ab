"""Runs the blocks of a page of documentation and compares what they print with what it shows.

test/docs/README.md describes the convention.
"""

import contextlib
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading

import harness

FOLDER = harness.REPOSITORY / "test" / "docs"
KINDS = ("console", "python", "yaml", "text", "java")
PLACES = ("local", "yarn", "spark", "java")
THE_BLOCK = "# THE BLOCK OF THE PAGE"
COMMAND_LIMIT = 180

DIRECTIVE = re.compile(r"<!-- run: (.*?) -->$")
FENCE = re.compile(r"```(\w*)$")
TASK_LINE = re.compile(r"([a-z][\w-]*):([\d,-]+) \| ?(.*)")
ELLIPSIS = "..."

# What differs from run to run: a page's text stands for everything of the same form.
VARIABLE = [
    (r"\.\.\.|…", r"[^\n]*"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", r"\d{4}-\d\d-\d\dT[\d:.]+Z"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d", r"\d{4}-\d\d-\d\d \d\d:\d\d"),
    (r"application_\d+_\d+", r"application_\d+_\d+"),
    (r"container_e?[\d_]+", r"container_e?[\d_]+"),
    (r"#t=[0-9a-f]+", r"#t=[0-9a-f]+"),
    (r"127\.0\.0\.1:\d+", r"127\.0\.0\.1:\d+"),
    (r"\d+(?:\.\d+)? (?:ms|s|min|h|days?)\b", r"\d+(?:\.\d+)? (?:ms|s|min|h|days?)"),
    (r"\d+(?:\.\d+)? [MG]iB of memory, \d+ cores?, (?:no|\d+) GPUs?",
     r"\d+(?:\.\d+)? [MG]iB of memory, \d+ cores?, (?:no|\d+) GPUs?"),
]
JOB_ID = r"[a-z][a-z0-9]*-[a-z0-9]{6}(?![\w-])"
TOKEN = re.compile("|".join(f"(?P<v{index}>{pattern})" for index, (pattern, _) in
                            enumerate(VARIABLE)) + rf"|(?P<job>(?<![\w/.-]){JOB_ID}|"
                   rf"(?<=/){JOB_ID})|(?P<blank>\s+)")


@dataclasses.dataclass
class Block:
    """A code block of a page, with what its directive says."""

    page: str
    line: int
    kind: str
    text: str
    words: dict

    @property
    def place(self):
        return self.words.get("on", "local")

    @property
    def is_run(self):
        return "not" not in self.words

    def __str__(self):
        return f"{self.page}:{self.line}"


def pages():
    """The pages whose blocks are run, by path in the repository."""
    docs = harness.REPOSITORY / "docs"
    return ["README.md", *(f"docs/{path.name}" for path in sorted(docs.glob("*.md")))]


def directive(text):
    """Reads `file a.py; on yarn; status 1` as {"file": "a.py", "on": "yarn", "status": "1"}."""
    text, is_not, why = text.partition("not: ")
    words = {"not": why} if is_not else {}
    for part in filter(None, text.split("; ")):
        name, _, value = part.partition(" ")
        words[name] = value
    unknown = set(words) - {"file", "in", "site", "not", "on", "page", "status", "interrupt"}
    assert not unknown, f"unknown words in the directive '{text}': {unknown}"
    assert words.get("on", "local") in PLACES, text
    return words


def blocks_of(page, text=None):
    """Returns the blocks of a page, and fails on one whose kind is not stated."""
    text = text or (harness.REPOSITORY / page).read_text()
    found, words, whole_page = [], {}, {}
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if match := DIRECTIVE.match(line):
            words = directive(match[1])
            if words.pop("page", None) is not None:
                whole_page, words = words, {}
        elif match := FENCE.match(line.strip()):
            assert match[1] in KINDS, f"{page}:{index}: a block is one of {', '.join(KINDS)}"
            first = index
            while lines[index].strip() != "```":
                index += 1
            body = "\n".join(lines[first:index]) + "\n"
            found.append(Block(page, first, match[1], body, {**whole_page, **words}))
            index += 1
            words = {}
        else:
            indented = line.startswith("    ") and (index < 2 or not lines[index - 2].strip())
            assert not indented, f"{page}:{index}: a block is fenced, not indented"
            assert not (words and line.strip()), f"{page}:{index}: a directive without a block"
    return found


def commands_of(text):
    """Splits a console block into (command, expected output lines)."""
    commands = []
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            commands.append(([line[2:]], []))
        elif commands and not commands[-1][1] and commands[-1][0][-1].endswith("\\"):
            commands[-1][0].append(line)
        else:
            assert commands, f"output before any command: {line}"
            commands[-1][1].append(line)
    return [("\n".join(command), output) for command, output in commands]


def streams(lines):
    """Groups lines by the task that printed them: tasks print at the same time, so only the order
    of each task's own lines is certain. Muster's own output is the stream ''."""
    found, rest = {"": []}, []
    for line in lines:
        match = TASK_LINE.match(line)
        if line.strip() == ELLIPSIS:
            rest.append(ELLIPSIS)
            for stream in found.values():
                stream.append(ELLIPSIS)
        elif not match:
            found[""].append(line)
        else:
            for index in indexes(match[2]):
                found.setdefault(f"{match[1]}:{index}", list(rest)).append(match[3])
    return found


def indexes(text):
    """Returns the indexes of `0-2,5`."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def pattern_of(lines):
    """The regular expression for expected lines. Blanks and line ends match each other, because the
    width of a terminal decides where a message wraps."""
    parts = []
    for line in lines:
        if line.strip() == ELLIPSIS:
            parts.append(r"[\s\S]*?")
            continue
        regex, at = "", 0
        line = line.strip()
        for token in TOKEN.finditer(line):
            regex += re.escape(line[at:token.start()])
            regex += form_of(token)
            at = token.end()
        parts.append(regex + re.escape(line[at:]))
    return r"\s*" + r"\s*".join(parts) + r"\s*"


def form_of(token):
    if token.lastgroup == "blank":
        return r"\s+"
    if token.lastgroup == "job":
        name = token.group().rpartition("-")[0]
        return rf"{re.escape(name)}-(?:{re.escape(token.group()[len(name) + 1:])}|[a-z0-9]{{6}})"
    return VARIABLE[int(token.lastgroup[1:])][1]


def as_piped(expected, actual):
    """A page shows what a terminal gets; in a pipe the lines of a job's only task have no
    prefix."""
    tasks = {match[1] + match[2] for line in expected if (match := TASK_LINE.match(line))}
    if len(tasks) != 1 or any(TASK_LINE.match(line) for line in actual):
        return expected
    return [match[3] if (match := TASK_LINE.match(line)) else line for line in expected]


def mismatch(expected, actual):
    """Returns what the output lacks, or an empty text if it is as expected."""
    wanted, found = streams(as_piped(expected, actual)), streams(actual)
    if ELLIPSIS not in wanted[""]:
        for task in found.keys() - wanted.keys():
            return f"the page does not show the output of {task}"
    for task, lines in wanted.items():
        text = "\n".join(found.get(task, []))
        if re.fullmatch(pattern_of(lines), text):
            continue
        for count in range(1, len(lines) + 1):
            if not re.match(pattern_of(lines[:count]), text):
                return f"not printed{' by ' + task if task else ''}: {lines[count - 1].strip()}"
        return f"the page ends{' for ' + task if task else ''} before the output does"
    return ""


class Session:
    """A reader of one page: a folder, and a shell that keeps exported variables. `stands_for` maps
    what a page says, such as the folder of a cluster's configuration, to what is really there."""

    def __init__(self, folder, environment, stands_for=None):
        self.folder = folder
        self.environment = {**environment, "HOME": str(folder)}
        self.stands_for = stands_for or {}
        self.exports = []

    def translated(self, text):
        for shown, real in self.stands_for.items():
            text = text.replace(shown, real)
        return text

    def take(self, page):
        """Gives the reader the files that the page takes for granted; a folder NAME.zip becomes an
        archive."""
        given = FOLDER / page.removeprefix("docs/").removesuffix(".md")
        if given.is_dir():
            shutil.copytree(given, self.folder, dirs_exist_ok=True)
        for folder in self.folder.glob("*.zip"):
            archive = shutil.make_archive(str(self.folder / "packed"), "zip", folder)
            shutil.rmtree(folder)
            pathlib.Path(archive).rename(folder)

    def run(self, block):
        getattr(self, f"_run_{block.kind}")(block)

    def _run_console(self, block):
        commands = commands_of(block.text)
        for number, (command, expected) in enumerate(commands, 1):
            last = number == len(commands)
            if command.startswith("export "):
                self.exports.append(command)
            status = int(block.words.get("status", 0)) if last else 0
            self.command(block, command, expected, status, "interrupt" in block.words and last)

    def _run_python(self, block):
        if "file" in block.words:
            self._write(block.words["file"], block.text)
        elif "in" in block.words:
            name = block.words["in"]
            around = (self.folder / name).read_text()
            assert THE_BLOCK in around, f"{name} has no line {THE_BLOCK}"
            indent = re.search(rf"^( *){THE_BLOCK}", around, re.MULTILINE)[1]
            body = block.text.rstrip("\n").replace("\n", "\n" + indent)
            self._write(name, around.replace(THE_BLOCK, body))
            self._run_program(block, name)
        else:
            raise AssertionError(f"{block}: nothing says how to run it: file NAME or in NAME")

    def _run_program(self, block, name):
        self.command(block, f"python3 {name}", [], 0, False)

    def _run_yaml(self, block):
        if "site" in block.words:
            self._write(".muster/config.yaml", self.translated(block.text))
            self.command(block, "muster ps --json", [], 0, False)
            return
        text = self.translated(block.text)
        name = block.words.get("file", "block.yaml")
        if name.startswith(".muster/frameworks/"):
            self._write(name, text)  # The jobs in the blocks below show that it is right.
            return
        if "command:" not in text:
            text += 'command: "true"\n'
        if not re.search(r"^(roles|tasks):", text, re.MULTILINE):
            text += "tasks: 1\n"
        self._write(name, text)
        self.command(block, f"muster validate {name}", [], 0, False)

    def _run_text(self, block):
        raise AssertionError(f"{block}: text is never run; say why: <!-- run: not: WHY -->")

    def _write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def command(self, block, command, expected, status, interrupt):
        """Runs one command and compares its output; empty `expected` stands for any output."""
        script = self.translated("\n".join([*self.exports, command]))
        process = subprocess.Popen(
            ["bash", "-c", script], cwd=self.folder, env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            errors="replace", start_new_session=True)
        printed = []
        reader = threading.Thread(target=lambda: printed.extend(iter(process.stdout.readline, "")),
                                  daemon=True)
        reader.start()

        def lines():
            text = "".join(printed).replace(str(self.folder), "~")
            for shown, real in self.stands_for.items():
                text = text.replace(real, shown)
            return text.rstrip("\n").split("\n")

        def problem():
            return mismatch(expected, lines()) if expected else "" if printed else "no output"

        if interrupt:
            with contextlib.suppress(AssertionError):
                harness.eventually(lambda: not problem() or process.poll() is not None)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
        try:
            code = process.wait(COMMAND_LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = f"none within {COMMAND_LIMIT} s"
        reader.join(10)
        where = f"{block}: $ {command}\n--- printed\n" + "\n".join(lines())
        if not interrupt:
            assert code == status, f"exit status {code}, not {status}, of {where}"
        if expected:
            assert not (found := problem()), f"{found}\n{where}"


def run_page(page, place, session):
    """Runs all blocks of a page that are meant for the place; those for others only write their
    files."""
    session.take(page)
    count = 0
    for block in blocks_of(page):
        if block.is_run and block.place == place:
            session.run(block)
            count += 1
        elif block.is_run and "file" in block.words:
            session._write(block.words["file"], block.text)
    return count
