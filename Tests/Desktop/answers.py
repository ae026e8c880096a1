"""Where answers go: callbacks to other applications, and errors, in each kind of session."""
import time

from handover import CALLER
from openers import describe, make_openers, start
from session import KINDS, Session

URL = "notes:/echo?text=hunter2&x-success=%s"


def run(test):
    for kind in KINDS:
        with Session(test.home, test.display, kind) as session:
            opened, tokens = ask_opened(test, session)
            told = ask_unopened(test, session)
            test.table.add(session.kind, "handle", opened, told, tokens, told)
            ask_forecast(test, session)


def ask_opened(test, session):
    """Whether a callback to a scheme that an application has is opened."""
    test.home.forget()
    done = session.run(["xcallback", "handle", "--", URL % "done:/ok%3Fid=7"], **CALLER)
    call = test.home.next_call("done", limit=5)
    holds = test.checks.check("%s: a callback is opened, and its application gets the answer" % session.kind,
                     call and call.words == [b"done:/ok?id=7&text=hunter2"] and done.returncode == 0,
                     "status %d\n%s\n%s" % (done.returncode, call, done.stdout))
    return ("1 of 1" if holds else "nothing"), describe(call) if call else "no application"


def ask_unopened(test, session):
    """Whether the user learns of a callback to a scheme that no application has."""
    test.home.forget_notices()
    before, windows = session.windows(), set()
    began = time.monotonic()
    process = session.start(["xcallback", "handle", "--", URL % "nobody:/ok"],
                            output=test.home.path + "/handle.log")
    while process.poll() is None and time.monotonic() < began + 20:
        windows |= session.windows() - before
        time.sleep(0.05)
    windows |= session.windows() - before
    seen, end = {}, time.monotonic() + (2 if windows else 10)
    text = test.home.read("handle.log")
    if "could not be opened" in text:
        seen["standard error"] = text
    while len(seen) < 3 and time.monotonic() < end:
        for line in test.home.log_lines():
            if b"could not be opened" in line:
                seen["log"] = line.decode()
        call = test.home.next_call("notification", limit=0.1)
        if call and b"could not be opened" in b" ".join(call.words):
            seen["notification"] = str(call)
    browser = test.home.next_call("x-www-browser", limit=0)
    told = ", ".join(sorted(seen)) or ("a window of the opener" if windows else "SILENT")
    test.checks.check(
        "%s: a callback that no application opens is reported" % session.kind,
        len(seen) == 3 and process.returncode == 1 or windows,
        "reported by: %s\nstatus %s after %.1f s\nthe browser got it: %r\n%s" % (
            told, process.returncode, time.monotonic() - began, browser and browser.words, text))
    for name, told_there in (("standard error", text), ("the log", seen.get("log", ""))):
        test.checks.check("%s: %s has no value of the URL" % (session.kind, name), "hunter2" not in told_there,
                         told_there)
    return told


def ask_forecast(test, session):
    """Whether 'xcallback doctor' says so if xdg-open starts nothing."""
    report = session.run(["xcallback", "doctor", "--config", test.home.path + "/config.yaml"]).stdout
    openers = {opener.name: opener for opener in make_openers(test.home)}
    is_told = "xdg-open starts nothing" in report or "the desktop was not checked" in report
    how, _ = start(session, openers["xdg-open"], "notes:/echo?text=a", "handle", expects=False, limit=5)
    test.checks.check("%s: the doctor is right about xdg-open" % session.kind, is_told != (how == "opened"),
                     "it does: %s\n%s" % (how, report))
