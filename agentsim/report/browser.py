"""A headless Chromium, driven through the DevTools protocol over a pipe: no driver package, no port, no network.

Messages are JSON documents that end in a zero byte; Chromium reads them from its file descriptor 3 and answers on 4.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from agentsim.errors import InputError

__all__ = ["Browser", "BrowserError", "find_browser"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
          "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
          "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe")

# Puts the pipes on descriptors 3 and 4 and becomes the browser.
_LAUNCHER = ("import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); "
             "os.execv(sys.argv[3], sys.argv[3:])")

Event = dict[str, Any]


class BrowserError(RuntimeError):
    """The browser did not start, stopped answering or refused a command."""


def find_browser() -> str | None:
    """The path of a Chromium or Chrome on this machine, or None."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page in one headless browser; a context manager.

    Parameters
    ----------
    executable : its path; by default what ``find_browser`` finds.
    timeout : seconds to wait for an answer.

    Raises ``InputError`` if there is no browser and ``BrowserError`` if it does not start. ``events`` collects all
    that the page reports (console messages, requests, exceptions) until it is cleared.
    """

    def __init__(self, executable: str | None = None, *, timeout: float = 60.0) -> None:
        path = executable or find_browser()
        if path is None:
            raise InputError("there is no Chromium on this machine", allowed=", ".join(_NAMES))
        self.events: list[Event] = []
        self._timeout, self._last, self._buffer = timeout, 0, b""
        self._profile = tempfile.mkdtemp(prefix="agentsim-browser-")
        commands_read, self._write = os.pipe()
        self._read, answers_write = os.pipe()
        # Above 4, so that putting one in its place cannot overwrite the other.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands_read, answers_write)]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _LAUNCHER, *map(str, ends), path, *_FLAGS,
                 f"--user-data-dir={self._profile}", "about:blank"],
                pass_fds=ends, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True)
        finally:
            for end in (commands_read, answers_write, *ends):
                os.close(end)
        self._session = ""
        try:
            pages = [target for target in self.send("Target.getTargets")["targetInfos"] if target["type"] == "page"]
            target = pages[0]["targetId"] if pages else self.send("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.send(f"{domain}.enable")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the browser and remove its profile."""
        for descriptor in (self._write, self._read):
            try:
                os.close(descriptor)
            except OSError:
                continue
        try:
            self._process.wait(timeout=5)  # it ends by itself when its pipe closes
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command and wait for its result. Raises ``BrowserError`` if it is refused or not answered."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        try:
            data = json.dumps(message).encode("utf-8") + b"\0"
            while data:
                data = data[os.write(self._write, data):]
        except OSError as error:
            raise BrowserError(f"the browser has gone ({error.strerror})") from error
        answer = self._receive(lambda received: received.get("id") == self._last, method)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error'].get('message', 'refused')}")
        result: dict[str, Any] = answer.get("result", {})
        return result

    def resize(self, width: int, height: int, *, phone: bool = False) -> None:
        """Give the page a viewport in CSS pixels; ``phone`` also makes it behave as a touch screen does."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def open(self, url: str) -> None:
        """Load a page, and wait until it and its images, fonts and late scripts are there."""
        self.send("Page.navigate", url="about:blank")
        self.events.clear()
        answer = self.send("Page.navigate", url=url)
        if "errorText" in answer:
            raise BrowserError(f"{url}: {answer['errorText']}")
        self.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")
        self.evaluate("document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => "
                      "requestAnimationFrame(() => done(true)))))")

    def wait_for(self, expression: str) -> None:
        """Wait until a JavaScript expression is true; raises ``BrowserError`` if it does not become so in time."""
        end = time.monotonic() + self._timeout
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise BrowserError(f"the page never came to: {expression}")
            time.sleep(0.02)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression (promises are awaited), as Python objects."""
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details.get("text", "exception"))
        return answer["result"].get("value")

    def screenshot(self, clip: tuple[float, float, float, float] | None = None) -> bytes:
        """A PNG of the whole page, or of ``clip`` (left, top, width, height in page pixels)."""
        if clip is None:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            clip = (0, 0, size["width"], size["height"])
        left, top, width, height = clip
        answer = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                           clip={"x": left, "y": top, "width": width, "height": height, "scale": 1})
        return base64.b64decode(answer["data"])

    def _receive(self, wanted: Callable[[Event], bool], what: str) -> Event:
        end = time.monotonic() + self._timeout
        while True:
            message, separator, rest = self._buffer.partition(b"\0")
            if separator:
                self._buffer = rest
                received: Event = json.loads(message)
                if wanted(received):
                    return received
                if "method" in received:
                    self.events.append(received)
                continue
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise BrowserError(f"no answer to {what} within {self._timeout:.0f} s")
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise BrowserError("the browser ended" if what != "Target.getTargets" else "the browser did not start")
            self._buffer += chunk


def page_url(path: Path) -> str:
    """The ``file:`` address of a page."""
    return path.resolve().as_uri()
