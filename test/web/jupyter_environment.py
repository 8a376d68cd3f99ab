"""The environment that notebooks and kernels run in."""

import pathlib
import subprocess
import sys

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools" / "wheel.d"))

import pack  # noqa: E402: found by the line above


def interpreter():
    """The interpreter of an environment that has JupyterLab and a kernel."""
    made = subprocess.run([ROOT / "tools/setup_python", "jupyter"], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=600)
    return pathlib.Path(made.stdout.strip()) / "bin" / "python3"


def variables(muster, python, folder, package=ROOT, program=harness.BINARY):
    """The variables of a notebook server's process in which the wheel of `package`, a repository,
    is installed; it runs `program`."""
    site = folder / "site"
    info = site / "muster_ml-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(pack.ENTRY_POINTS)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: muster-ml\nVersion: 1.0\n")
    muster.environment["PATH"] = f"{python.parent}:{muster.environment['PATH']}"
    return {**muster.environment, "PYTHONPATH": f"{package / 'python' / 'src'}:{site}",
            "MUSTER_BINARY": str(program), "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
            "JUPYTER_CONFIG_DIR": str(folder / "config"),
            "JUPYTER_DATA_DIR": str(folder / "data"),
            "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces")}
