"""Clicks on links in Chromium."""
import re
import statistics
import time

import links
from browser import Browser, Page
from handover import FEW
from home import SCHEMES
from openers import ask_error, describe
from session import KINDS, Session

CLICKS = 30
# How Chromium starts applications: through the desktop portal, or with xdg-open if the bus has no working portal.
WAYS = {"chromium": True, "chromium, no portal": False}
# KDE decodes part of Chromium's encoding.
KDE = [FEW[0], "notes://x-callback-url/echo?text=it%27s%26$(touch$%7BIFS%7Downed)&x-source=caller", FEW[2]]
# Clicks without any effect or message: Chromium ignores the exit status of xdg-open.
LOST = {("KDE, no version", False), ("none, no display", True), ("none, no display", False)}
UNKNOWN = {("XFCE", False): "a window", ("none", False): "the browser gets it", ("none, no display", True): "SILENT"}


def run(test):
    page = Page(links.TEXTS, links.MARKUP, links.SCRIPTED)
    few = Page(FEW + ["notes:/private?text=hunter2", "unknown:/x", "notes:/time"])
    try:
        for name, portal in WAYS.items():
            with Session(test.home, test.display, "GNOME", portal) as session:
                click_all(test, session, name, page)
                click_without_permission(test, session, name, few)
                measure(test, session, name, few)
            for kind in KINDS:
                with Session(test.home, test.display, kind, portal) as session:
                    click_in(test, session, name, portal, few)
    finally:
        page.stop()
        few.stop()


def handed_over(url):
    """What Chromium gives to other programs: it escapes what RFC 3986 has no use for in a URL."""
    return re.sub(rb"%(?![0-9A-Fa-f]{2})|[^!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]",
                  lambda found: b"%%%02X" % found.group()[0], url.encode())


def click_all(test, session, name, page):
    """Whether each link of the page arrives, and nothing else."""
    test.home.forget()
    wrong, same, private = [], 0, []
    with Browser(session, page, allowed=SCHEMES) as browser:
        targets = browser.targets()
        for number, target in enumerate(targets):
            browser.click(number)
            call = test.home.next_call("handle")
            same += call is not None and call.words[-1] == target.encode()
            if call is None or call.words != [b"handle", b"--", handed_over(target)]:
                wrong.append("link %d, %.80r: received %.200r" % (number, target, call and call.words))
            private += [call for call in test.home.forget() if call.name == "private"]
        rest = test.home.forget(quiet=2)
    test.checks.equal("%s: the page has 99 links" % name, len(targets), 99)
    test.checks.check("%s: each of the 99 links starts the handler with its URL, escaped for programs" % name, not wrong,
                     "\n".join(wrong))
    test.checks.figure("%d of the 99 are byte for byte the URL of the link, as scripts see it" % same)
    extra = [call for call in rest if call.name == "handle"]
    test.checks.check("%s: no link starts the handler twice" % name, not extra, extra)
    private += [call for call in rest if call.name == "private"]
    test.checks.check("%s: no link reaches a private route" % name, not private, private)
    # Proves that a reached route would be noticed.
    session.run(["xcallback", "open", "notes:/private"])
    test.checks.check("%s: a client of the socket reaches the private route" % name, test.home.next_call("private"))


def click_without_permission(test, session, name, page):
    """Whether only what the user or the administrator has allowed starts the handler."""
    test.home.forget_notices()
    with Browser(session, page) as browser:
        for number in range(3):
            browser.click(number)
        calls = test.home.forget(quiet=3)
        test.checks.check("%s: without a permission, a click starts no program" % name, not calls, calls)
    with Browser(session, page, allowed=["web+notes"]) as browser:
        browser.click(0)
        calls = test.home.forget(quiet=3)
        test.checks.check("%s: a permission for another scheme does not count" % name, not calls, calls)
    for sentence, origin, starts in (("starts the handler", page.origin, True),
                                 ("for another origin starts nothing", "http://127.0.0.1:1", False)):
        policy = {"AutoLaunchProtocolsFromOrigins": [{"protocol": "notes", "allowed_origins": [origin]}]}
        test.home.forget()
        with Browser(session, page, policy=policy) as browser:
            browser.click(0)
            call = test.home.next_call("handle", limit=10 if starts else 3)
            test.checks.check("%s: a managed policy %s" % (name, sentence), bool(call) == starts, call)


def measure(test, session, name, page):
    """How long it takes from the click to the program of the route."""
    test.home.forget()
    times = []
    with Browser(session, page, allowed=SCHEMES) as browser:
        for _ in range(CLICKS):
            began = browser.click(5)
            call = test.home.next_call("time")
            if call:
                times.append(1000 * (call.time - began))
            test.home.next_call("handle", limit=0)
    test.checks.equal("%s: %d clicks start the program of a route" % (name, CLICKS), len(times), CLICKS)
    if len(times) > 1:
        quartiles = statistics.quantiles(times, n=4, method="inclusive")
        test.checks.figure("%s: from click to program: median %.0f ms, quartiles %.0f and %.0f ms" % (
            name, quartiles[1], quartiles[0], quartiles[2]))


def click_in(test, session, opener, portal, page):
    """What a click does in a session, for a row of the table."""
    name, case = "%s, %s" % (session.kind, opener), (session.kind, portal)
    lost = case in LOST
    test.home.forget()
    with Browser(session, page, allowed=[*SCHEMES, "unknown"]) as browser:
        targets = browser.targets()[:len(FEW)]
        calls = []
        for number in range(len(FEW)):
            browser.click(number)
            calls.append(test.home.next_call("handle", limit=1 if lost else 10))
        expected = [url.encode() for url in KDE] if case == ("KDE", False) else [handed_over(url) for url in targets]
        test.checks.equal("%s: %s" % (name, "clicks are lost, and nothing is said" if lost else "clicks are opened"),
                         [call and call.words[-1] for call in calls], [None] * len(FEW) if lost else expected)
        reached = [call for call in calls if call]
        tokens = " or ".join(sorted({describe(call) for call in reached})) or "no handler"
        told = "SILENT" if lost else ask_error(test, name, lambda: browser.click(len(FEW)))
        if not lost:
            known = "none / new" if case == ("KDE", False) else "none / none"
            test.checks.equal("%s: the handler has the tokens: %s" % (name, known), tokens, known)
        fate = click_unknown(test, session, browser)
        expected = UNKNOWN.get(case, "a window" if portal else "SILENT")
        test.checks.equal("%s: a scheme without an application: %s" % (name, expected), fate, expected)
    same = sum(call is not None and call.words[-1] == url.encode() for call, url in zip(calls, targets))
    opened = "%d, %d same of %d" % (len(reached), same, len(FEW)) if reached else "nothing"
    test.table.add(session.kind, opener, opened, told, tokens, fate)


def click_unknown(test, session, browser):
    """What becomes of a click on a link whose scheme no application has."""
    before = session.windows()
    test.home.forget()
    browser.click(len(FEW) + 1)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if test.home.next_call("x-www-browser", limit=0.2):
            return "the browser gets it"
        if session.windows() - before:
            return "a window"
    return "SILENT"
