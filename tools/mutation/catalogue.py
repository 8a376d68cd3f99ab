"""All mutations of some modules: found, numbered, and built into copies of the sources."""

import concurrent.futures
import hashlib
import pickle
import re
import sys

import building
import rewriting

MODULES = ["job", "agent", "master"]
HERE = building.pathlib.Path(__file__).resolve().parent
COPIES = building.BUILD / "copies"
JOBS = 2


class Catalogue:
    """Mutations in the order of their numbers, which begin with 1, and what was left out: places
    where the switch does not compile."""

    def __init__(self, release, modules):
        self.release = release
        self.batches = {module: release.batches(module) for module in modules}
        self.sites = {}
        for module in modules:
            for batch in self.batches[module]:
                self.sites.update(remembered(batch))
        self.mutations = []
        for name in sorted(self.sites):
            for mutation in self.sites[name].mutations:
                self.mutations.append(mutation)
                mutation.number = len(self.mutations)
        self.files = {mutation.number: name for name in sorted(self.sites)
                      for mutation in self.sites[name].mutations}
        self.left_out = set()

    def build(self):
        """Compiles the copies; returns {module: its library}."""
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            made = {}
            for module, batches in self.batches.items():
                made[module] = [(batch, pool.submit(self.compile, batch)) for batch in batches]
            return {module: self.release.archive(
                module, {batch.name: work.result() for batch, work in jobs})
                for module, jobs in made.items()}

    def compile(self, batch):
        """Compiles; leaves out the places that the compiler rejects, and tries again."""
        options = ["-include", str(HERE / "switch.h"), "-ferror-limit=0"]
        for _ in range(4):
            changed = {}
            for name in batch.sources:
                copy = COPIES / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(rewriting.switched(self.sites[name], self.left_out))
                changed[name] = str(copy.relative_to(building.ROOT))
            try:
                return batch.compile(changed, building.BUILD / "objects", options)
            except building.BuildError as error:
                wrong = self.places(str(error))
                if not wrong - self.left_out:
                    raise
                print(f"left out, does not compile: {len(wrong)} of {batch.name}",
                      file=sys.stderr)
                self.left_out |= wrong
        raise building.BuildError(f"{batch.name} does not compile")

    def places(self, said):
        """The numbers of the mutations on the lines that the compiler complains about."""
        lines = {(match[1], int(match[2])) for match in re.finditer(
            r"mutants/copies/(src/\S+?\.cc):(\d+):\d+: error", said)}
        return {mutation.number for mutation in self.mutations
                if (self.files[mutation.number], mutation.line) in lines}


def remembered(batch):
    """Like find, but done only once for each state of the batch's sources and headers."""
    read = [building.ROOT / name for name in batch.sources]
    read += sorted((building.ROOT / "src").rglob("*.h")) + [HERE / "sites.py"]
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in read)).hexdigest()
    path = building.BUILD / "found" / f"{batch.name}-{digest[:20]}"
    if path.exists():
        return pickle.loads(path.read_bytes())
    found = find(batch)
    path.parent.mkdir(exist_ok=True)
    for old in path.parent.glob(f"{batch.name}-*"):
        old.unlink()
    path.write_bytes(pickle.dumps(found))
    return found


def find(batch):
    """Returns {source: its FileSites} for a batch."""
    import sites
    from clang import cindex
    if not cindex.Config.loaded:
        cindex.Config.set_library_file("libclang-19.so.1")
    found = {str(building.ROOT / name): sites.FileSites((building.ROOT / name).read_bytes())
             for name in batch.sources}
    words = parser_words(batch.words)
    unit = cindex.Index.create().parse(str(batch.path), args=words)
    wrong = [str(each) for each in unit.diagnostics if each.severity >= cindex.Diagnostic.Error]
    if wrong:
        raise building.BuildError("libclang does not understand the sources:\n" +
                                  "\n".join(wrong[:10]))
    sites.Finder(found).walk_unit(unit)
    return {str(building.pathlib.Path(path).relative_to(building.ROOT)): each
            for path, each in found.items()}


def parser_words(words):
    """The arguments of a compiler's command line that affect what is parsed."""
    kept, at = ["-resource-dir", resource_folder()], 0
    while at < len(words):
        word = words[at]
        if word == "-isystem":
            kept += words[at:at + 2]
            at += 1
        elif re.match(r"-[ID].|-std=", word):
            kept.append(word)
        at += 1
    return kept


def resource_folder():
    return building.must(["clang++-19", "-print-resource-dir"]).strip()
