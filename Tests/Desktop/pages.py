"""A page that shows the answer to its own link, as the documents print it, in Chromium and Firefox."""
import os
import time

import browser
import marionette
from session import Session, stop

DOCUMENT = os.path.join(os.path.dirname(__file__), "../../Docs/HowTo/PagesKeysAndMenus.md")
# Read before this process becomes a user who lacks permission to.
with open(DOCUMENT) as file:
    PAGE = next(block for block in file.read().split("```") if block.startswith("html\n<button")).removeprefix("html\n")
CONFIGURATION = """schemes: [greet]
callbacks: { allow: ["%s"] }
routes: [{ route: greet:/hello, public: true, exec: [%s/greet], output: lines }]
"""
# How the program ends, and what the page shows.
OUTCOMES = {"success": ("echo result=Hello", "Hello"), "error": ("exit 1", "The program ended with status 1."),
            "cancelled request": ("exit 130", "Cancelled.")}
WAITING = "Waiting for the answer"
NOBODY = "No answer yet. Is the program installed, and does it run?"
# The second start of a browser gives its page to the first.
COMMANDS = {"Chromium": "chromium --user-data-dir=%s/chromium", "Firefox": "firefox-esr --profile %s/firefox"}
BROWSERS = {"Chromium": lambda session, page: browser.Browser(session, page, allowed=["greet"], visible=True),
            "Firefox": marionette.Browser}


def run(test):
    home = test.home
    home.write(".config/mimeapps.list", "[Default Applications]\nx-scheme-handler/http=default.desktop\n")
    for name, command in COMMANDS.items():
        page = browser.Site(PAGE)
        stop(home.daemon)
        home.write("config.yaml", CONFIGURATION % (page.origin, home.bin))
        home.serve()
        home.record("default", then='exec %s "$@"' % (command % home.path))
        home.add_application("default", ["http"], "default %u")
        home.add_application("greet", ["greet"], "handle handle -- %u")
        with Session(home, test.display, "GNOME") as session, BROWSERS[name](session, page) as shown:
            for outcome, (program, text) in OUTCOMES.items():
                home.record("greet", then=program)
                shown.press("document.querySelector('button')")
                test.checks.equal("%s: the page shows the %s" % (name, outcome), see(shown, text), text)
            test.checks.check("%s: the tabs of the answers are closed" % name, one_tab(shown))
            stop(home.daemon)
            ask_nobody(test, shown, "%s: without a daemon" % name)
            os.unlink(home.applications + "/greet.desktop")
            home.run(["update-desktop-database", home.applications])
            ask_nobody(test, shown, "%s: without an application" % name)
            home.serve()
        page.stop()


def ask_nobody(test, shown, case):
    shown.press("document.querySelector('button')")
    test.checks.equal("%s, the page waits" % case, see(shown, WAITING), WAITING)
    test.checks.equal("%s, the page says so" % case, see(shown, NOBODY), NOBODY)


def see(shown, text):
    """What the page shows at last."""
    end = time.monotonic() + 20
    while (found := shown.evaluate("document.querySelector('output').textContent")) != text and time.monotonic() < end:
        time.sleep(0.1)
    return found


def one_tab(shown):
    end = time.monotonic() + 10
    while (count := shown.tabs()) != 1 and time.monotonic() < end:
        time.sleep(0.1)
    return count == 1
