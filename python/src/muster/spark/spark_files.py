"""The application's files (sc.addFile, --files) as a node's program sees them."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_MODULES = ("pyspark.files", "pyspark.core.files")  # In Spark 3 and 4.


def folder() -> str:
    """Where this Spark task, or the driver, has the application's files."""
    from pyspark import SparkFiles

    return os.path.abspath(SparkFiles.getRootDirectory())


class Files(MetaPathFinder):
    """On sys.meta_path: has SparkFiles.get() find the files in a process that is not a Spark task.
    Waits for the program to import it, because importing pyspark takes longer than everything
    before it.
    """

    def __init__(self, folder: str):
        self._folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module as it is, with a loader that tells it the folder."""
        if fullname not in _MODULES or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        found = importlib.util.find_spec(fullname)
        if found is not None and found.loader is not None:
            found.loader = _Telling(found.loader, self._folder)
        return found


class _Telling(Loader):
    """Loads a module as another loader does, and tells its SparkFiles where the files are."""

    def __init__(self, loader: Loader, folder: str):
        self._loader = loader
        self._folder = folder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        module.SparkFiles._root_directory = self._folder
        module.SparkFiles._is_running_on_worker = True
