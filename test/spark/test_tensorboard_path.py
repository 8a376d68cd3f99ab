"""TensorBoard of a cluster answers on one address, below a path that nobody can guess."""

import json

from tensorflowonspark import tensorboard


def test_the_path_is_in_no_command_line(tmp_path, monkeypatch):
    told = tmp_path / "told"
    program = tmp_path / "tensorboard"
    program.write_text(
        "import json, sys\n"
        "cmdline = open('/proc/self/cmdline').read()\n"
        f"json.dump([sys.argv, cmdline], open({str(told)!r}, 'w'))\n")
    # Not by PATH: a real one may be installed beside this interpreter.
    monkeypatch.setattr(tensorboard.util, "find_in_path", lambda *_: str(program))
    process, port, path = tensorboard.start("logs", 0, "127.0.0.1")
    assert process.wait(timeout=60) == 0
    argv, cmdline = json.loads(told.read_text())
    assert argv[argv.index("--path_prefix") + 1] == path
    assert f"--port={port}" in argv
    assert "--host=127.0.0.1" in argv
    assert "--bind_all" not in argv
    assert path not in cmdline
    assert len(path) == 65
