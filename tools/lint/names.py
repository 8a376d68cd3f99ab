"""Files are named for the noun inside; modules have a README and a row."""

import re

import includes
import tree as trees

# Names that attract unrelated code.
BANNED = re.compile(r"(^|_)(utils?|utilities|helpers?|common|misc|stuff|tools?_lib)(_|$)")
SUFFIXES = re.compile(r"\.(cpp|cxx|hpp|hxx|hh|c\+\+|inl)$")
# The programs that import it dictate the names in it.
FOREIGN = "python/src/tensorflowonspark/"
CODE = (".h", ".cc", ".py", ".sh", ".cmake", ".proto", ".ts")


def check(tree):
    findings = []
    for path in tree.paths:
        if path.startswith(FOREIGN):
            continue
        name = path.rsplit("/", 1)[-1]
        stem = name.split(".", 1)[0]
        if SUFFIXES.search(name):
            findings.append(trees.Finding(path, 1, "C++ files end with .h or .cc"))
        if name.endswith(CODE):
            for part in [*path.split("/")[:-1], stem]:
                if BANNED.search(part.lower()):
                    findings.append(trees.Finding(
                        path, 1, f"'{part}' attracts the unrelated: name the noun inside"))
        if name.endswith((".h", ".cc", ".py")) and not re.fullmatch(r"[a-z0-9_]+", stem):
            findings.append(trees.Finding(path, 1, "file names are snake_case"))
    modules = includes.table.load()[0]
    folders = {path.rsplit("/", 1)[0] for path in tree.cpp()
               if path.startswith(("src/", "sim/", "testing/"))}
    for folder in sorted({module_folder(folder, modules) for folder in folders}):
        if f"{folder}/README.md" not in tree.paths:
            findings.append(trees.Finding(
                f"{folder}/README.md", 1, "every module has a README of about a page"))
    return findings


def module_folder(folder, modules):
    """Returns the folder of the module that `folder` belongs to; itself if it belongs to none."""
    name = includes.module_of(f"{folder}/any.cc", modules)
    return folder if name is None else f"src/{name}" if folder.startswith("src/") else name
