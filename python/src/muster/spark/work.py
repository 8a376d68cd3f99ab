"""The function and the arguments that a node runs, from its container's folder."""

from __future__ import annotations

import importlib
import importlib.util
import io
import pickle
import sys
import types
from pathlib import Path
from typing import Any

_CLOUDPICKLE = "pyspark.cloudpickle"


class Carried:
    """A broadcast variable in a program: Spark gives its value only to Spark's tasks, so the value
    travels with the function.
    """

    def __init__(self, value: Any):
        self.value = value


def dump_work(function: Any, arguments: Any) -> bytes:
    """Pickles what a node runs."""
    from pyspark import Broadcast, cloudpickle

    class Pickler(cloudpickle.CloudPickler):
        """Knows broadcast variables."""

        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, Broadcast):
                return Carried, (obj.value,)
            return super().reducer_override(obj)

    file = io.BytesIO()
    Pickler(file).dump((function, arguments))
    return file.getvalue()


def load_work(path: Path) -> tuple[Any, Any]:
    """What the driver pickled. It came through Spark's own channel into a file that only this user
    can access.
    """
    load_cloudpickle()
    with open(path, "rb") as file:
        return _Loader(file).load()


def load_cloudpickle() -> None:
    """Imports pyspark.cloudpickle, which is all that unpickling needs, without the rest of pyspark:
    that takes longer than everything else before the program. A program that imports pyspark itself
    gets all of it, as usual.
    """
    if "pyspark" in sys.modules:
        return
    found = importlib.util.find_spec("pyspark")
    if found is None or found.submodule_search_locations is None:
        return
    package = types.ModuleType("pyspark")
    package.__path__ = list(found.submodule_search_locations)
    package.__spec__ = found
    sys.modules["pyspark"] = package
    try:
        importlib.import_module(_CLOUDPICKLE)
    finally:
        del sys.modules["pyspark"]


class _Loader(pickle.Unpickler):
    """Finds cloudpickle where load_cloudpickle() put it."""

    def find_class(self, module: str, name: str) -> Any:
        """As usual, but without importing the packages around cloudpickle."""
        if module.startswith(_CLOUDPICKLE) and module in sys.modules:
            return getattr(sys.modules[module], name)
        return super().find_class(module, name)
