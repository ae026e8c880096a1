"""Firefox with a page, spoken to by its Marionette protocol."""
import json
import os
import shutil
import socket
import subprocess

from home import until

LIMIT = 60  # seconds
PREFERENCES = {
    "marionette.port": 0, "network.protocol-handler.external.greet": True, "browser.shell.checkDefaultBrowser": False,
    "network.protocol-handler.warn-external.greet": False, "security.external_protocol_requires_permission": False,
    "browser.aboutwelcome.enabled": False, "datareporting.policy.dataSubmissionPolicyBypassNotification": True,
}


class Browser:
    """A Firefox of its own profile, in a session, that shows a page. Use it with 'with'."""

    def __init__(self, session, page):
        self.session, self.page, self.number = session, page, 0
        self.profile = session.home.path + "/firefox"
        shutil.rmtree(self.profile, ignore_errors=True)
        os.makedirs(self.profile)
        with open(self.profile + "/user.js", "w") as file:
            for name, value in PREFERENCES.items():
                file.write("user_pref(%s, %s);\n" % (json.dumps(name), json.dumps(value)))

    def __enter__(self):
        self.process = self.session.start(
            ["firefox-esr", "--marionette", "--profile", self.profile, "about:blank"],
            output=self.session.home.path + "/firefox.log")
        port = self.profile + "/MarionetteActivePort"
        until(lambda: os.path.exists(port) and os.path.getsize(port), "Firefox does not start", LIMIT)
        with open(port) as file:
            self.socket = socket.create_connection(("127.0.0.1", int(file.read())), timeout=LIMIT)
        self.file = self.socket.makefile("rb")
        self.read()
        self.call("WebDriver:NewSession")
        self.call("WebDriver:Navigate", url=self.page.origin + "/")
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def read(self):
        """The next message, whose length comes before it."""
        length = b""
        while not length.endswith(b":"):
            byte = self.file.read(1)
            if not byte:
                raise SystemExit("Firefox has ended: see its log")
            length += byte
        return json.loads(self.file.read(int(length[:-1])))

    def call(self, method, **parameters):
        """Calls a method of the protocol, and returns its result."""
        self.number += 1
        message = json.dumps([0, self.number, method, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.read()
        if error:
            raise SystemExit("Firefox: %s: %s" % (method, error))
        return result

    def tabs(self):
        """How many tabs there are."""
        return len(self.call("WebDriver:GetWindowHandles"))

    def evaluate(self, expression):
        return self.call("WebDriver:ExecuteScript", script="return " + expression, args=[])["value"]

    def press(self, element):
        """Clicks an element as a mouse does."""
        found = self.call("WebDriver:ExecuteScript", script="return " + element, args=[])["value"]
        self.call("WebDriver:ElementClick", id=next(iter(found.values())))
