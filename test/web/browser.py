"""A real Chromium, driven over the WebDriver protocol that its own chromedriver speaks."""

import base64
import contextlib
import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import harness
import web_socket

PATIENCE = 120
STARTS = 5
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
SHIFT, CONTROL = 8, 2  # As bits of the protocol.


class BrowserError(Exception):
    """What chromedriver answers to a command that failed."""


class Chromium:
    """The processes of a browser, and of the driver that speaks to it."""

    # The one that Browser() uses while `shared` lasts; made when it is first needed.
    _sharing = False
    _shared = None

    def __init__(self, arguments=(), environment=None):
        self._stack = contextlib.ExitStack()
        profile = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="muster-web-"))
        self._address = f"http://127.0.0.1:{self._start_driver(environment, profile)}"
        self._stack.callback(self._end_driver)
        # As root, Chromium has no sandbox; in a container, shared memory may be small.
        arguments = [*arguments, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                     "--disable-gpu", "--no-first-run", "--disable-extensions",
                     "--disable-background-networking",
                     "--no-proxy-server", f"--user-data-dir={profile}"]
        wanted = {"browserName": "chrome", "pageLoadStrategy": "normal",
                  "goog:chromeOptions": {"binary": "/usr/bin/chromium", "args": arguments}}
        made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{made['sessionId']}"
        self._stack.callback(lambda: self._call("DELETE", self._session))
        # The driver does not pass on commands that concern the whole browser.
        port = made["capabilities"]["goog:chromeOptions"]["debuggerAddress"].rpartition(":")[2]
        with _OPENER.open(f"http://127.0.0.1:{port}/json/version", timeout=PATIENCE) as answer:
            path = urllib.parse.urlsplit(json.load(answer)["webSocketDebuggerUrl"]).path
        self._devtools = self._stack.enter_context(
            contextlib.closing(web_socket.WebSocket(int(port), path)))
        self._asked = 0
        self._shown = None

    @classmethod
    @contextlib.contextmanager
    def shared(cls):
        """All windows are opened in one browser, because its start takes a second of processor
        time."""
        cls._sharing = True
        try:
            yield
        finally:
            cls._sharing = False
            if cls._shared:
                cls._shared.close()
                cls._shared = None

    @classmethod
    def common(cls):
        """Returns the browser that is shared, or None while none is."""
        if cls._sharing and not (cls._shared and cls._shared.lives()):
            cls._shared = cls()
        return cls._shared

    def lives(self):
        try:
            return bool(self.devtools("Browser.getVersion"))
        except (BrowserError, OSError, struct.error):
            return False

    def _start_driver(self, environment, folder):
        """Returns its port. The folder holds what a killed browser would leave behind. The driver
        takes a free IPv6 port and wants the same one for IPv4: if another program has that, the
        driver says so and ends, and is started again."""
        for _ in range(STARTS):
            self._driver = subprocess.Popen(
                ["/usr/bin/chromedriver", "--port=0"], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True,
                env={**(environment or os.environ), "TMPDIR": folder})
            said = ""
            for line in self._driver.stdout:
                if found := re.search(r"started successfully on port (\d+)", line):
                    return int(found.group(1))
                said += line
            self._end_driver()
            if "port not available" not in said:
                break
        raise BrowserError(f"chromedriver did not start: {said}")

    def _end_driver(self):
        self._driver.terminate()
        self._driver.wait(PATIENCE)
        self._driver.stdout.close()

    def _call(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(self._address + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with _OPENER.open(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise BrowserError(json.load(error)["value"]["message"]) from None

    def devtools(self, command, **parameters):
        """Returns what the browser as a whole answers to a command."""
        self._asked += 1
        self._devtools.send({"id": self._asked, "method": command, "params": parameters})
        while True:
            answer = self._devtools.receive()
            if answer and answer.get("id") == self._asked:
                if "error" in answer:
                    raise BrowserError(answer["error"]["message"])
                return answer["result"]

    def first_window(self):
        return self._call("GET", f"{self._session}/window")

    def of_window(self, handle, method, path, body=None):
        """Asks the driver for something of a window."""
        if self._shown != handle:
            self._shown = None
            self._call("POST", f"{self._session}/window", {"handle": handle})
            self._shown = handle
        return self._call(method, self._session + path, body)

    def close(self):
        self._stack.close()


class Browser:
    """A window of somebody who was never here before: its cookies, cache and storage are its own.
    `scheme` is "light" or "dark"; with `arguments` for Chromium or an environment, it gets a
    browser of its own."""

    def __init__(self, width=1280, height=900, scheme="light", arguments=(), environment=None):
        self._stack = contextlib.ExitStack()
        self._chromium = None if arguments or environment else Chromium.common()
        if self._chromium is None:
            # Alone in its browser, so the existing window and profile will do.
            self._chromium = self._stack.enter_context(
                contextlib.closing(Chromium(arguments, environment)))
            self._handle = self._chromium.first_window()
        else:
            context = self._chromium.devtools("Target.createBrowserContext")
            self._stack.callback(lambda: self._chromium.devtools("Target.disposeBrowserContext",
                                                                 **context))
            self._handle = self._chromium.devtools("Target.createTarget", url="about:blank",
                                                   newWindow=True, **context)["targetId"]
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=width < 600)
        self.devtools("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": scheme}])
        # With several windows, each behaves as the one that its user types into.
        self.devtools("Emulation.setFocusEmulationEnabled", enabled=True)

    def _call(self, method, path, body=None):
        return self._chromium.of_window(self._handle, method, path, body)

    def devtools(self, command, **parameters):
        return self._call("POST", "/goog/cdp/execute",
                          {"cmd": command, "params": parameters})

    def open(self, address):
        self._call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """Returns what a function's body of JavaScript returns."""
        return self._call("POST", "/execute/sync",
                          {"script": script, "args": list(arguments)})

    def text(self, selector):
        """Returns the visible text of the first matching element; None if there is none."""
        return self.run("const e = document.querySelector(arguments[0]);"
                        "return e && e.getClientRects().length ? e.innerText : null", selector)

    def click(self, selector):
        """Clicks where the element is; what is drawn anew between the look and the click is looked
        for again."""
        def find_and_click():
            found = self._call("POST", "/element",
                               {"using": "css selector", "value": selector})
            try:
                self._call("POST", f"/element/{found[ELEMENT]}/click")
            except BrowserError as refused:
                if re.search("stale element|click intercepted|not interactable", str(refused)):
                    return False  # It was not clicked.
                raise
            return True

        harness.eventually(find_and_click, what=f"{selector} can be clicked", pause=0.1)

    def type(self, text):
        """Types into whatever has the focus, key by key; a line feed is Enter."""
        for character in text:
            self.press("Enter" if character == "\n" else character)

    def press(self, key, modifiers=0):
        """Presses a key, as in press("Enter", SHIFT) and press("s", CONTROL)."""
        told = {"key": key, "modifiers": modifiers}
        if key == "Enter":
            told |= {"code": key, "windowsVirtualKeyCode": 13, "text": "\r"}
        elif modifiers:
            told |= {"code": f"Key{key.upper()}", "windowsVirtualKeyCode": ord(key.upper())}
        else:
            told |= {"text": key}
        for kind in ("keyDown", "keyUp"):
            self.devtools("Input.dispatchKeyEvent", type=kind, **told)
            told.pop("text", None)

    def sees(self, selector, pattern, within=PATIENCE):
        """Waits until the element's text matches; returns the text."""
        def probe():
            text = self.text(selector)
            return text is not None and re.search(pattern, text)

        try:
            # A request goes through two programs to a third; some answers take 20 s.
            return harness.eventually(probe, within, pause=0.1).string
        except AssertionError:
            page = self.run("return document.body.innerText")
            raise AssertionError(f"{selector} is {self.text(selector)!r}, not {pattern!r}; "
                                 f"the page shows:\n{page}") from None

    def picture(self, path):
        """Writes the whole page as a PNG."""
        taken = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        pathlib.Path(path).write_bytes(base64.b64decode(taken["data"]))

    def close(self):
        self._stack.close()


# A proxy from the environment does not apply to this machine's own addresses.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def fetch(address, method="GET", body=None, headers=None):
    """Asks without a browser; returns status, headers and text, whatever the status is."""
    request = urllib.request.Request(address, body, headers or {}, method=method)
    try:
        with _OPENER.open(request, timeout=PATIENCE) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()
