"""The name that programs older than TensorFlowOnSpark 1.0 import: `com.yahoo.ml.tf`.

Its modules are those of `tensorflowonspark`, not copies.
"""

import importlib
import importlib.abc
import importlib.util
import sys

_NEW = "tensorflowonspark"
_MODULES = ("TFCluster", "TFManager", "TFNode", "TFParallel", "TFSparkNode", "compat", "dfutil",
            "gpu_info", "marker", "pipeline", "reservation", "util")  # fmt: skip


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds com.yahoo.ml.tf.X where tensorflowonspark.X is."""

    def find_spec(self, fullname, path=None, target=None):
        """A spec for a module of ours, else None."""
        package, _, name = fullname.rpartition(".")
        if package != __name__ or name not in _MODULES:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def create_module(self, spec):
        """The same module under its new name, with the spec that it has there."""
        module = importlib.import_module(f"{_NEW}.{spec.name.rpartition('.')[2]}")
        self._spec = module.__spec__
        return module

    def exec_module(self, module):
        """It has been executed; only what the import changed is put back."""
        module.__spec__ = self._spec


sys.meta_path.append(_Finder())
