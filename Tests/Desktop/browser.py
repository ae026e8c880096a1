"""Chromium with a page of links, spoken to by its DevTools protocol over a pipe."""
import html
import http.server
import json
import os
import select
import shutil
import subprocess
import threading
import time

from session import stop

POLICIES = "/etc/chromium/policies/managed/test.json"
ANSWER_LIMIT = 60  # seconds


class Page:
    """A page with links, served on 127.0.0.1."""

    def __init__(self, texts, markup=(), scripted=()):
        sources = [html.escape(text) for text in texts] + list(markup) + [""] * len(scripted)
        first = len(sources) - len(scripted)
        anchors = "".join('<p><a href="%s">%d</a></p>\n' % (source, number) for number, source in enumerate(sources))
        script = "".join('document.links[%d].setAttribute("href", "%s");' % (first + number, text)
                         for number, text in enumerate(scripted))
        body = "<!doctype html><meta charset=utf-8><title>links</title>\n%s<script>%s</script>\n" % (anchors, script)
        body = body.encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Browser:
    """A Chromium of its own profile, in a session, that shows a page. Use it with 'with'."""

    def __init__(self, session, page, allowed=(), policy=None):
        self.session = session
        self.page = page
        self.profile = session.home.path + "/chromium"
        shutil.rmtree(self.profile, ignore_errors=True)
        os.makedirs(self.profile + "/Default")
        # What the user has allowed in the dialog, with 'always'.
        pairs = {page.origin: {scheme: True for scheme in allowed}}
        with open(self.profile + "/Default/Preferences", "w") as file:
            json.dump({"protocol_handler": {"allowed_origin_protocol_pairs": pairs if allowed else {}}}, file)
        if policy is not None:
            with open(POLICIES, "w") as file:
                json.dump(policy, file)

    def __enter__(self):
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        self.buffer, self.number = b"", 0
        self.log = open(self.session.home.path + "/chromium.log", "w")

        def place():
            # Chromium reads commands from descriptor 3 and writes answers to 4.
            first, second = os.dup(commands), os.dup(answers)
            os.dup2(first, 3)
            os.dup2(second, 4)
            os.closerange(5, 256)

        try:
            self.process = subprocess.Popen(
                ["chromium", "--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + self.profile,
                 "--no-first-run", "--no-default-browser-check", "--disable-gpu", "--password-store=basic",
                 "--disable-background-networking", "about:blank"],
                env={**self.session.home.environment, **self.session.variables}, preexec_fn=place, close_fds=False,
                stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)
        finally:
            os.close(commands)
            os.close(answers)
        try:
            self.open_page()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        stop(self.process)
        os.close(self.commands)
        os.close(self.answers)
        self.log.close()
        if os.path.exists(POLICIES):
            os.unlink(POLICIES)

    def open_page(self):
        targets = self.call("Target.getTargets", None)["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.target = self.call("Target.attachToTarget", None, targetId=page["targetId"], flatten=True)["sessionId"]
        self.call("Page.navigate", url=self.page.origin + "/")
        end = time.monotonic() + ANSWER_LIMIT
        while self.evaluate("document.readyState + document.title") != "completelinks":
            if time.monotonic() > end:
                raise SystemExit("Chromium does not show the page")
            time.sleep(0.05)

    def call(self, method, *target, **parameters):
        """Calls a method of the protocol, and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if not target:
            message["sessionId"] = self.target
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + ANSWER_LIMIT
        while True:
            while b"\0" in self.buffer:
                one, self.buffer = self.buffer.split(b"\0", 1)
                answer = json.loads(one)
                if answer.get("id") == self.number:
                    if "error" in answer:
                        raise SystemExit("Chromium: %s: %s" % (method, answer["error"]))
                    return answer["result"]
            if not select.select([self.answers], [], [], max(end - time.monotonic(), 0))[0]:
                raise SystemExit("Chromium does not answer %s" % method)
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise SystemExit("Chromium has ended: see its log")
            self.buffer += part

    def evaluate(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def targets(self):
        """The URL of a link as the URL standard has it, for each link."""
        return self.evaluate("[...document.links].map(link => link.href)")

    def click(self, number):
        """Clicks a link as a mouse does, and returns when the button was released."""
        box = self.evaluate(
            "(() => { const link = document.links[%d]; link.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const box = link.getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()" % number)
        mouse = {"x": box[0], "y": box[1], "button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mousePressed", **mouse)
        released = time.monotonic()
        self.call("Input.dispatchMouseEvent", type="mouseReleased", **mouse)
        return released
