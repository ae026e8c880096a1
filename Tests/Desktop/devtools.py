"""Chromium, without a window if none is asked for, spoken to by its DevTools protocol over a pipe."""
import json
import os
import select
import subprocess
import time

LIMIT = 60  # seconds
WORDS = ["chromium", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check",
         "--disable-gpu", "--password-store=basic", "--disable-background-networking"]


class Page:
    """A Chromium, and the one page that it has. 'stop' is to be called at the end."""

    def __init__(self, profile, *words, visible=False, **options):
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        self.buffer, self.number, self.session = b"", 0, None

        def place():
            # Chromium reads commands from descriptor 3 and writes answers to 4.
            first, second = os.dup(commands), os.dup(answers)
            os.dup2(first, 3)
            os.dup2(second, 4)
            os.closerange(5, 256)

        try:
            self.process = subprocess.Popen(
                [*WORDS, *([] if visible else ["--headless=new"]), "--user-data-dir=" + profile, *words, "about:blank"],
                preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL, start_new_session=True, **options)
        finally:
            os.close(commands)
            os.close(answers)

    def attach(self):
        """Chooses the page that calls are for."""
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.answers)

    def call(self, method, **parameters):
        """Calls a method of the protocol, and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit("Chromium: %s: %s" % (method, answer["error"]))
                return answer["result"]

    def read(self):
        """The next message, an answer or an event."""
        end = time.monotonic() + LIMIT
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(end - time.monotonic(), 0))[0]:
                raise SystemExit("Chromium does not answer")
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise SystemExit("Chromium has ended: see its log")
            self.buffer += part
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def evaluate(self, expression):
        """The value of an expression of the page; of a promise, when it has one."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return result["result"].get("value")
