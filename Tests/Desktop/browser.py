"""Chromium with a page of links, which are clicked."""
import html
import http.server
import json
import os
import shutil
import threading
import time

import devtools

POLICIES = "/etc/chromium/policies/managed/test.json"


class Site:
    """A page, served on 127.0.0.1."""

    def __init__(self, content):
        body = b"<!doctype html><meta charset=utf-8><title>links</title>\n" + content.encode()

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


class Page(Site):
    """A page with links."""

    def __init__(self, texts, markup=(), scripted=()):
        sources = [html.escape(text) for text in texts] + list(markup) + [""] * len(scripted)
        first = len(sources) - len(scripted)
        anchors = "".join('<p><a href="%s">%d</a></p>\n' % (source, number) for number, source in enumerate(sources))
        script = "".join('document.links[%d].setAttribute("href", "%s");' % (first + number, text)
                         for number, text in enumerate(scripted))
        super().__init__("%s<script>%s</script>\n" % (anchors, script))


class Browser:
    """A Chromium of its own profile, in a session, that shows a page. Use it with 'with'."""

    def __init__(self, session, page, allowed=(), policy=None, visible=False):
        self.session = session
        self.page = page
        self.visible = visible
        self.profile = session.home.path + "/chromium"
        shutil.rmtree(self.profile, ignore_errors=True)
        os.makedirs(self.profile + "/Default")
        # The user's 'always' choices in the dialog.
        pairs = {page.origin: {scheme: True for scheme in allowed}}
        with open(self.profile + "/Default/Preferences", "w") as file:
            json.dump({"protocol_handler": {"allowed_origin_protocol_pairs": pairs if allowed else {}}}, file)
        if policy is not None:
            with open(POLICIES, "w") as file:
                json.dump(policy, file)

    def __enter__(self):
        self.log = open(self.session.home.path + "/chromium.log", "w")
        self.shown = devtools.Page(self.profile, visible=self.visible, stdout=self.log, stderr=self.log,
                                   env={**self.session.home.environment, **self.session.variables})
        try:
            self.open_page()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.shown.stop()
        self.log.close()
        if os.path.exists(POLICIES):
            os.unlink(POLICIES)

    def open_page(self):
        self.shown.attach()
        self.shown.call("Page.navigate", url=self.page.origin + "/")
        end = time.monotonic() + devtools.LIMIT
        while self.evaluate("document.readyState + document.title") != "completelinks":
            if time.monotonic() > end:
                raise SystemExit("Chromium does not show the page")
            time.sleep(0.05)
        # Chromium ignores clicks on what it has not drawn yet.
        self.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")

    def evaluate(self, expression):
        return self.shown.evaluate(expression)

    def tabs(self):
        """How many tabs there are."""
        return sum(target["type"] == "page" for target in self.shown.call("Target.getTargets")["targetInfos"])

    def targets(self):
        """The URL of a link as the URL standard has it, for each link."""
        return self.evaluate("[...document.links].map(link => link.href)")

    def click(self, number):
        """Clicks a link as a mouse does, and returns when the button was released."""
        return self.press("document.links[%d]" % number)

    def press(self, element):
        box = self.evaluate(
            "(() => { const link = %s; link.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const box = link.getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()" % element)
        mouse = {"x": box[0], "y": box[1], "button": "left", "clickCount": 1}
        self.shown.call("Input.dispatchMouseEvent", type="mousePressed", **mouse)
        released = time.monotonic()
        self.shown.call("Input.dispatchMouseEvent", type="mouseReleased", **mouse)
        return released
