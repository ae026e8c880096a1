"""A Chromium that notes what its page complains about and loads."""
import base64
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Desktop"))

import devtools  # noqa: E402


class WatchedPage(devtools.Page):
    """The page of a browser of its own. Use it with 'with'."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="site-")
        self.faults, self.loaded, self.isComplete = [], [], False
        # Root's Chromium has no sandbox; it shows nothing here but the site.
        words = ["--hide-scrollbars"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        super().__init__(self.folder, *words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        self.attach()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self):
        message = super().read()
        self.note(message.get("method"), message.get("params"))
        return message

    def note(self, event, parameters):
        """Notes what an event says of the page."""
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

    def open(self, url, width, height, scheme):
        """Opens a page in a window of a size, in the scheme 'light' or 'dark', and waits until it is complete."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.faults, self.loaded, self.isComplete = [], [], False
        self.call("Page.navigate", url=url)
        while not self.isComplete:
            self.read()

    def shoot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
