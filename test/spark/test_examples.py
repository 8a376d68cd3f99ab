"""The programs of examples/digits-spark, with fewer epochs: each learns real digits."""
# timeout: 900
# application: tensorflow

import importlib.util
import sys
from pathlib import Path

import pytest
from cluster_bed import home, sc  # noqa: F401 (fixtures)
from pyspark import cloudpickle

FOLDER = Path(__file__).parents[2] / "examples" / "digits-spark"


@pytest.fixture
def program():
    """Loads a program as if it were the driver's main one: its functions go to the executors."""
    loaded = []

    def load(name):
        spec = importlib.util.spec_from_file_location(f"digits_{name}", FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[spec.name] = module
        cloudpickle.register_pickle_by_value(module)
        loaded.append(module)
        return module

    yield load
    for module in loaded:
        cloudpickle.unregister_pickle_by_value(module)
        del sys.modules[module.__name__]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("train", ["--epochs=8"]),
        ("train_files", ["--epochs=8", "--data=data"]),
        ("pipeline", ["--epochs=8"]),
        ("stream", ["--rows=8000", "--folder=folder", "--told=told"]),
    ],
)
def test_it_learns(sc, program, tmp_path, name, options):  # noqa: F811
    module = program(name)
    if name != "stream":
        options = [*options, "--model=model"]
    # Whatever is a file is one of this test's.
    paths = ("--model=", "--data=", "--folder=", "--told=")
    options = [
        option.replace("=", f"={tmp_path}/") if option.startswith(paths) else option
        for option in options
    ]
    assert module.run(sc, module.arguments(options)) > 0.8
