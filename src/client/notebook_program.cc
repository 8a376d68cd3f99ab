#include "client/notebook_program.h"

namespace muster::client {

std::string_view notebook_program() {
  return R"py(import importlib.util, os, secrets, socket, sys
idle, root = int(sys.argv[1]), sys.argv[2] or os.getcwd()
if importlib.util.find_spec("jupyter_server") is None:
    sys.exit("muster: there is no Jupyter in the environment of %s; install jupyterlab there, "
             "or jupyter_server" % sys.executable)
lab = importlib.util.find_spec("jupyterlab") is not None
os.umask(0o077)
folder = os.path.join(os.path.dirname(os.environ["MUSTER_VIEW_FILE"]), ".notebook")
os.makedirs(folder, exist_ok=True)
os.environ["JUPYTER_RUNTIME_DIR"] = folder
token = secrets.token_urlsafe(32)
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
config = os.path.join(folder, "config.py")
with open(config, "w") as file:
    for name, value in (("ServerApp.ip", "127.0.0.1"), ("ServerApp.port", port),
                        ("ServerApp.port_retries", 0), ("ServerApp.open_browser", False),
                        ("ServerApp.allow_root", True), ("ServerApp.root_dir", root),
                        ("ServerApp.shutdown_no_activity_timeout", idle),
                        ("MappingKernelManager.cull_idle_timeout", idle),
                        ("IdentityProvider.token", token)):
        file.write("c.%s = %r\n" % (name, value))
place = os.path.join(folder, "place")
with open(place + ".new", "w") as file:
    file.write("%d %s %s\n" % (port, token, "lab" if lab else "tree"))
os.rename(place + ".new", place)
program = "jupyterlab" if lab else "jupyter_server"
os.execv(sys.executable, [sys.executable, "-m", program, "--config=" + config])
)py";
}

std::string_view notebook_place_program() {
  // A session works where the task's program does, which may not be there yet: the place is where
  // both look from the beginning.
  return R"py(import os, socket, sys, time
place = os.path.join(os.path.dirname(os.environ["MUSTER_VIEW_FILE"]), ".notebook", "place")
end = time.monotonic() + 120
while time.monotonic() < end:
    try:
        text = open(place).read()
        socket.create_connection(("127.0.0.1", int(text.split()[0])), 5).close()
        sys.stdout.write(text)
        sys.exit(0)
    except (OSError, ValueError, IndexError):
        time.sleep(0.1)
sys.exit("muster: the notebook's server does not answer")
)py";
}

std::string_view notebook_check_program() {
  return "import importlib.util, sys; "
         "sys.exit(importlib.util.find_spec('jupyter_server') is None)";
}

}  // namespace muster::client
