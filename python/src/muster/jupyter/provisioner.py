"""A kernel in a task: started by `muster exec`, reached by `muster forward`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
import signal
from pathlib import Path
from typing import Any

from jupyter_client.provisioning import KernelProvisionerBase
from traitlets import Float, Unicode

from muster.native import NotInstalledError, program_path

PORTS = ("shell_port", "iopub_port", "stdin_port", "hb_port", "control_port")
FORWARDED = re.compile(rb"127\.0\.0\.1:(\d+) is port (\d+)")
# For a task that is about to run, and for a master that is being replaced.
START_MAX = 180
WORD_MAX = 30
PAUSE = 0.2
BROKEN_MAX = 5
# For answers from a muster of another version.
MATCH_VERSIONS = "use the muster that came with it, or the package of that muster"
# How much of a program's output an error quotes.
SAID_MAX = 500


class KernelError(RuntimeError):
    """A kernel could not be started in its task; the message says why."""


def muster_program() -> str:
    """The program of this package, else the one on PATH."""
    try:
        return str(program_path())
    except NotInstalledError:
        found = shutil.which("muster")
        if found is None:
            raise KernelError("the program muster is not on PATH") from None
        return found


def last_words(said: bytes) -> str:
    """The end of a program's standard error."""
    return said.decode(errors="replace").strip()[-SAID_MAX:]


async def run_muster(*arguments: str, stdin: int) -> asyncio.subprocess.Process:
    program = muster_program()
    try:
        return await asyncio.create_subprocess_exec(
            program, *arguments, stdin=stdin, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE)
    except OSError as error:
        raise KernelError(f"{program} cannot be run: {error.strerror}") from None


def unknown_answer(verb: str, said: bytes) -> KernelError:
    """For an answer that no muster matching this package gives."""
    text = said.decode(errors="replace").strip()[:SAID_MAX]
    return KernelError(f"`{muster_program()} {verb}` answered {text!r}, which this package does "
                       f"not know: {MATCH_VERSIONS}")


class TaskProvisioner(KernelProvisionerBase):
    """Runs a kernel of a task's own Python in that task, with its environment, folder and limits.

    The kernel ends with its task. It outlives this server's connection, the job's master and this
    machine's sleep: for `alone` seconds it waits for somebody to come back.
    """

    job = Unicode(help="the job that the task belongs to").tag(config=True)
    task = Unicode(help="the task, as in worker:0").tag(config=True)
    alone = Float(4 * 3600.0, help="how long a kernel lives that nobody is connected to").tag(
        config=True)

    _forward: asyncio.subprocess.Process | None = None
    _hearing: asyncio.Task | None = None
    _warden: asyncio.StreamWriter | None = None
    _watch: asyncio.Task | None = None
    _status: int | None = None
    _here: dict[str, int] = {}

    @property
    def has_process(self) -> bool:
        return self._watch is not None

    async def poll(self) -> int | None:
        return self._status if self.has_process else 0

    async def wait(self) -> int | None:
        if self._watch is not None:
            await asyncio.shield(self._watch)
            self._watch = None
        return self._status

    async def send_signal(self, signum: int) -> None:
        if self._warden is not None and self._status is None:
            with contextlib.suppress(OSError):
                self._warden.write(b"%d\n" % signum)
                await self._warden.drain()

    async def kill(self, restart: bool = False) -> None:
        await self.send_signal(signal.SIGKILL)

    async def terminate(self, restart: bool = False) -> None:
        await self.send_signal(signal.SIGTERM)

    async def cleanup(self, restart: bool = False) -> None:
        if self._forward is not None:
            with contextlib.suppress(ProcessLookupError):
                self._forward.terminate()
            await self._forward.wait()
            self._forward = None
        if self._hearing is not None:
            await self._hearing
            self._hearing = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        return await super().pre_launch(cmd=[], **kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> dict[str, Any]:
        if not self.job or not self.task:
            raise KernelError("the kernel spec does not name a task: config needs `job` and `task`")
        self._status = None
        key = self.parent.session.key if self.parent else self.connection_info["key"]
        try:
            told = await self._start(key)
        except KernelError as error:
            if not self._is_started_again():
                raise
            self.log.warning("%s", error)
            self._status = 1
            self._watch = asyncio.create_task(asyncio.sleep(0))
            return self.connection_info
        try:
            self._here = await self._open_ports(told)
            warden = self._here["warden_port"]
            reader = await self._connect(warden, key)
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:  # noqa: UP041: Python 3.10
            await self.cleanup()
            raise KernelError(f"the kernel in {self.task} of {self.job} cannot be reached: "
                              f"{error or 'no answer'}") from None
        except BaseException:
            await self.cleanup()
            raise
        self.connection_info = {
            "ip": "127.0.0.1", "transport": "tcp", "key": key,
            "signature_scheme": "hmac-sha256",
            **{name: self._here[name] for name in PORTS},
        }
        self._watch = asyncio.create_task(self._follow(reader, warden, key))
        return self.connection_info

    def _is_started_again(self) -> bool:
        """Whether Jupyter starts the kernel again by itself, because it has died. Jupyter counts
        how often the kernel dies, and reports it dead after several times. An error would end the
        counting, and people would wait for a restart that never comes.
        """
        return bool(getattr(getattr(self.parent, "_restarter", None), "_restart_count", 0))

    async def _start(self, key: bytes) -> dict[str, Any]:
        """Has the kernel started; returns its ports in the task."""
        here = Path(__file__).parent
        code = "".join((here / f"{name}.py").read_text()
                       for name in ("kernel_folder", "peer_user", "warden"))
        starting = await run_muster("exec", self.job, self.task, "--", "python3", "-c", code,
                                    stdin=asyncio.subprocess.PIPE)
        order = json.dumps({"key": key.decode(), "alone": self.alone}).encode()
        try:
            out, errors = await asyncio.wait_for(starting.communicate(order), START_MAX)
        except (TimeoutError, asyncio.TimeoutError):  # noqa: UP041: Python 3.10 has two of them
            starting.kill()
            await starting.wait()
            raise KernelError(f"no kernel came up in {self.task} of {self.job}") from None
        try:
            told = json.loads(out) if out else {"error": last_words(errors)}
            known = "error" in told or told.keys() >= {*PORTS, "warden_port"}
        except (ValueError, AttributeError, TypeError):
            known = False
        if not known:
            raise unknown_answer("exec", out)
        if "error" in told:
            python = f" ({told['python']})" if "python" in told else ""
            raise KernelError(f"{self.task} of {self.job}: {told['error']}{python}")
        return told

    async def _open_ports(self, told: dict[str, Any]) -> dict[str, int]:
        """Forwards ports of the task's host; returns where each is on this machine: after a restart
        where it was before, because that is where users of the kernel look for it."""
        names = {told[name]: name for name in (*PORTS, "warden_port")}
        wanted = [f"{self._here.get(name, 0)}:{port}" for port, name in names.items()]
        self._forward = await run_muster("forward", self.job, self.task, *wanted,
                                         stdin=asyncio.subprocess.DEVNULL)
        self._hearing = asyncio.create_task(self._hear(self._forward.stderr))
        here: dict[str, int] = {}
        while len(here) < len(names):
            line = await asyncio.wait_for(self._forward.stdout.readline(), START_MAX)
            if not line:
                why = last_words(await self._hearing) or "`muster forward` has ended"
                raise KernelError(f"the ports of {self.task} of {self.job} cannot be reached: "
                                  f"{why}")
            found = FORWARDED.match(line)
            if not found or int(found[2]) not in names:
                raise unknown_answer("forward", line)
            here[names[int(found[2])]] = int(found[1])
        return here

    async def _hear(self, stream: asyncio.StreamReader) -> bytes:
        """Reads a stream to its end, so that its writer never waits; returns the last part."""
        said = b""
        while piece := await stream.read(4096):
            said = (said + piece)[-4 * SAID_MAX:]
        return said

    async def _connect(self, port: int, key: bytes) -> asyncio.StreamReader:
        reader, self._warden = await asyncio.open_connection("127.0.0.1", port)
        self._warden.write(key + b"\n")
        if await asyncio.wait_for(reader.readline(), WORD_MAX) != b"ok\n":
            raise ConnectionError("the kernel's warden does not answer")
        return reader

    async def _follow(self, reader: asyncio.StreamReader, port: int, key: bytes) -> None:
        """Waits until the kernel or its task has ended: then nothing is forwarded any more."""
        while True:
            with contextlib.suppress(OSError):
                said = await reader.readline()
                if said:
                    self._status = int(said)
                    return
            self._warden.close()
            found = await self._find_again(port, key)
            if found is None:
                self._status = 1
                return
            reader = found

    async def _find_again(self, port: int, key: bytes) -> asyncio.StreamReader | None:
        """Connects to the warden again, as soon as there is a master. None: it is gone. Forwarded
        connections wait silently for a master; if there is one, they break at once if nobody
        listens."""
        broken = 0
        while broken < BROKEN_MAX:
            if self._forward is None or self._forward.returncode is not None:
                return None
            await asyncio.sleep(PAUSE)
            try:
                return await self._connect(port, key)
            except (TimeoutError, asyncio.TimeoutError):  # noqa: UP041: Python 3.10 has two of them
                broken = 0
            except OSError:
                broken += 1
        return None
