"""A Chromium without a window, spoken to by its DevTools protocol over a pipe."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

LIMIT = 60  # seconds


class Browser:
    """The browser with one page, and what that page has complained about and loaded. Use it with 'with'."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="site-")
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        self.buffer, self.number, self.target = b"", 0, None
        self.faults, self.loaded, self.isComplete = [], [], False

        def place():
            # Chromium reads commands from descriptor 3 and writes answers to 4.
            first, second = os.dup(commands), os.dup(answers)
            os.dup2(first, 3)
            os.dup2(second, 4)
            os.closerange(5, 256)

        words = ["chromium", "--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + self.folder, "--no-first-run",
                 "--disable-gpu", "--disable-background-networking", "--hide-scrollbars", "about:blank"]
        # Root's Chromium has no sandbox; it shows nothing here but the site.
        words += ["--no-sandbox"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(words, preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.target = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **parameters):
        """Calls a method of the protocol, and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.target:
            message["sessionId"] = self.target
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit("Chromium: %s: %s" % (method, answer["error"]))
                return answer["result"]

    def read(self):
        """The next message; what it says of the page is noted."""
        end = time.monotonic() + LIMIT
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(end - time.monotonic(), 0))[0]:
                raise SystemExit("Chromium does not answer")
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise SystemExit("Chromium has ended")
            self.buffer += part
        one, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(one)
        self.note(message.get("method"), message.get("params"))
        return message

    def note(self, event, parameters):
        if event == "Runtime.exceptionThrown":
            self.faults.append(parameters["exceptionDetails"]["text"])
        elif event == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
            self.faults.append(" ".join(str(value.get("value")) for value in parameters["args"]))
        elif event == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.faults.append("%s %s" % (parameters["entry"]["text"], parameters["entry"].get("url", "")))
        elif event == "Network.requestWillBeSent":
            self.loaded.append(parameters["request"]["url"])
        elif event == "Page.loadEventFired":
            self.isComplete = True

    def open(self, url, width, height):
        """Opens a page in a window of a size, and waits until it is complete."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.faults, self.loaded, self.isComplete = [], [], False
        self.call("Page.navigate", url=url)
        while not self.isComplete:
            self.read()

    def evaluate(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)["result"].get("value")

    def shoot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
