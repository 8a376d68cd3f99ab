"""What the object files of the built static libraries define and need."""

import dataclasses
import functools
import subprocess

NM = "llvm-nm-19"


@dataclasses.dataclass
class Archive:
    """`needs` maps an undefined symbol to the object that needs it; `functions` holds the strong
    symbols that are code."""

    strong: set = dataclasses.field(default_factory=set)
    weak: set = dataclasses.field(default_factory=set)
    functions: set = dataclasses.field(default_factory=set)
    needs: dict = dataclasses.field(default_factory=dict)

    def defines(self, symbol):
        return symbol in self.strong or symbol in self.weak


def parse(listing):
    """Reads `nm -A -P`: "lib.a[object.o]: symbol type value size"."""
    archive = Archive()
    for line in listing.split("\n"):
        where, _, rest = line.partition(": ")
        fields = rest.split()
        if len(fields) < 2:
            continue
        symbol, kind = fields[0], fields[1]
        if kind in "Uwv":
            archive.needs.setdefault(symbol, where.rsplit("[", 1)[-1].rstrip("]"))
        elif kind in "TDBRA":
            archive.strong.add(symbol)
            if kind == "T":
                archive.functions.add(symbol)
        elif kind in "WVuCi":
            archive.weak.add(symbol)
    # An archive's objects satisfy each other.
    for symbol in archive.strong | archive.weak:
        archive.needs.pop(symbol, None)
    return archive


@functools.cache
def read(path):
    run = subprocess.run([NM, "-A", "-P", path], capture_output=True, text=True, check=True)
    return parse(run.stdout)


def demangle(symbols):
    """Returns the readable forms of `symbols`, in order."""
    if not symbols:
        return []
    run = subprocess.run(["llvm-cxxfilt-19"], input="\n".join(symbols), capture_output=True,
                         text=True, check=True)
    return run.stdout.rstrip("\n").split("\n")


def of_modules(root, modules, preset="release"):
    """Returns module name -> Archive, for the product modules that have one."""
    found = {}
    for name, module in modules.items():
        path = root / "build" / preset / f"libmuster_{name.replace('/', '_')}.a"
        if module["ring"] != "test" and path.exists():
            found[name] = read(path)
    return found
