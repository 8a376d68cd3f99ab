"""The files that a check looks at, and what it returns."""

import dataclasses
import functools
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = {".git", "build", "dist", "node_modules", ".cache", "__pycache__"}


@dataclasses.dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


class Tree:
    """A set of text files by their paths relative to the root; read from disk, or given (in
    tests)."""

    def __init__(self, root=ROOT, texts=None):
        self.root = pathlib.Path(root)
        self._texts = dict(texts) if texts is not None else None

    @functools.cached_property
    def paths(self):
        if self._texts is not None:
            return sorted(self._texts)
        return sorted(path for path in _listed(self.root) if (self.root / path).is_file())

    def text(self, path):
        if self._texts is not None:
            return self._texts[path]
        return _read(self.root / path)

    def code(self, path):
        """Returns the C++ text of `path` with comments and literals blanked, newlines kept."""
        return _blanked(self.text(path))

    def cpp(self):
        return [path for path in self.paths if path.endswith((".h", ".cc"))]

    def python(self):
        return [path for path in self.paths
                if path.endswith(".py") or self._starts_with(path, "python3")]

    def shell(self):
        return [path for path in self.paths
                if path.endswith(".sh") or self._starts_with(path, "bash", "/bin/sh")]

    def _starts_with(self, path, *interpreters):
        """Returns whether a file without a suffix has a #! line with one of `interpreters`."""
        if "." in path.rsplit("/", 1)[-1]:
            return False
        first = self.text(path).split("\n", 1)[0]
        return first.startswith("#!") and any(name in first for name in interpreters)


def allowed(text_lines, number, rule):
    """Returns whether line `number` (from 1) or the one before carries `lint: allow(rule) why`."""
    pattern = re.compile(r"lint: allow\(" + re.escape(rule) + r"\) \S+")
    return any(0 < at <= len(text_lines) and pattern.search(text_lines[at - 1])
               for at in (number, number - 1))


def counted(number, noun, nouns=None):
    """Returns "1 file", "2 files"."""
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


@functools.cache
def _read(path):
    return path.read_bytes().decode("utf-8", errors="replace")


def _listed(root):
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        return [path for path in listing.stdout.split("\0") if path]
    found = []
    for path in root.rglob("*"):
        relative = path.relative_to(root)
        if path.is_file() and not SKIPPED & set(relative.parts):
            found.append(str(relative))
    return found


TOKEN = re.compile(
    r"""//(?:[^\n\\]|\\.|\\\n)*"""
    r"""|/\*.*?\*/"""
    r"""|\b(?:u8|u|U|L)?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)\""""
    r"""|"(?:[^"\\\n]|\\.)*\""""
    r"""|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)*'""",
    re.DOTALL)


@functools.cache
def _blanked(text):
    def blank(match):
        token = match.group()
        if re.match(r'"[^"]*"$', token) and _in_include(text, match.start()):
            return token
        return re.sub(r"[^\n]", " ", token)

    return TOKEN.sub(blank, text)


def _in_include(text, at):
    start = text.rfind("\n", 0, at) + 1
    return re.match(r"\s*#\s*include\b", text[start:at]) is not None
