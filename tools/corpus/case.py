"""How a case of the corpus is written: a dict, made by one of these functions.

A case has `class` and `name` (where it goes), and either `script` (run as python3 train.py) or
`shell`. Optional: `python` ("torch" or "tensorflow"), `with` (files beside it), `setup` and
`teardown` (shell, in the folder), `files`, `memory`, `processes` (limits), `nobody` (run as that
user), `kill` and `after` (a signal, seconds), `env` ("PORT" becomes a free port), `needs` ("cc"),
`root`, `wrap` (arguments put before the command).
"""


def python(label, name, script, **more):
    return {"class": label, "name": name, "script": script.lstrip("\n"), **more}


def shell(label, name, command, **more):
    return {"class": label, "name": name, "shell": command, **more}


def c(label, name, source, compiler="cc", **more):
    suffix = "c" if compiler == "cc" else "cc"
    return shell(label, name, "./train", needs="cc", **{
        "with": {f"train.{suffix}": source}, "setup": f"{compiler} -w -O1 -o train train.{suffix}",
        **more})
