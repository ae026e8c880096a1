"""What programs that open URLs hand to the handler, in each kind of session."""
import collections
import os
import time

from handover import CALLER, FEW, KNOWN, PORTAL_TARGET, TOKENS, UNKNOWN, URLS
from session import KINDS, Session

LAUNCHER = """
import sys, gi
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gio, GLib
display = Gdk.Display.get_default()
if display is None: sys.exit("no display")
context = display.get_app_launch_context()
context.set_timestamp(1)
try: Gio.AppInfo.launch_default_for_uri(sys.argv[1], context)
except GLib.Error as error: sys.exit(error.message)
"""

# A program that opens URLs: its command, and the session in which all URLs are tried; other sessions try only a few.
Opener = collections.namedtuple("Opener", "name words home_session")


def make_openers(home):
    launcher = home.write("launcher.py", LAUNCHER)
    information = home.write("flatpak-info", "[Application]\nname=org.example.Caller\n\n[Instance]\ninstance-id=1\n")
    runtime = home.environment["XDG_RUNTIME_DIR"]
    sandbox = ["bwrap", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib",
               "--symlink", "usr/lib64", "/lib64", "--ro-bind", "/etc", "/etc", "--proc", "/proc", "--dev", "/dev",
               "--bind", runtime, runtime, "--tmpfs", "/tmp", "--ro-bind", information, "/.flatpak-info"]
    return [
        Opener("xdg-open", lambda url: ["xdg-open", url], None),
        Opener("gio open", lambda url: ["gio", "open", url], "GNOME"),
        Opener("kde-open5", lambda url: ["kde-open5", url], "KDE"),
        Opener("exo-open", lambda url: ["exo-open", url], "XFCE"),
        Opener("GTK", lambda url: ["/usr/bin/python3", launcher, url], "GNOME"),
        Opener("portal", lambda url: ["gdbus", "call", *PORTAL_TARGET, "", quoted(url),
                                      "{'activation_token': <'%s'>}" % CALLER["XDG_ACTIVATION_TOKEN"]], "GNOME"),
        Opener("sandbox", lambda url: sandbox + ["gio", "open", url], "GNOME"),
    ]


def quoted(text):
    """A text as gdbus reads it."""
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def run(test):
    for kind in KINDS:
        with Session(test.home, test.display, kind) as session:
            for opener in make_openers(test.home):
                ask_all(test, session, opener)


def ask_all(test, session, opener):
    """Asks everything of an opener in a session, for a row of the table."""
    known = KNOWN[session.kind, opener.name]
    name = "%s, %s" % (session.kind, opener.name)
    urls = URLS if opener.home_session in (None, session.kind) else FEW
    test.home.forget()
    opened, tokens, told = ask_urls(test, session, opener, name, urls, known)
    if opened:
        told = ask_error(test, name, lambda: start(session, opener, "notes:/private?text=hunter2", "handle", True))
    fate, _ = start(session, opener, "unknown:/x", "x-www-browser", expects=False)
    test.checks.equal("%s: a scheme without an application: %s" % (name, UNKNOWN[known.way]), fate, UNKNOWN[known.way])
    test.table.add(session.kind, opener.name, opened or "nothing", told, tokens, fate)


def ask_urls(test, session, opener, name, urls, known):
    """Whether URLs arrive as they are, but for the changes that are known; three cells of the table."""
    wrong, reached, same, tokens, failures = [], 0, 0, set(), set()
    for url in urls:
        expected = known.received(url)
        how, call = start(session, opener, url, "handle", expects=expected is not None)
        received = call and call.words[-1]
        if call:
            reached += 1
            same += received == os.fsencode(url)
            tokens.add(describe(call))
        else:
            failures.add(how)
        if received != (None if expected is None else os.fsencode(expected)):
            wrong.append("%.60r: received %.120r, expected %.120r" % (url, received, expected))
        elif call is None and how != known.failure:
            wrong.append("%.60r: not opened: %s, expected %s" % (url, how, known.failure))
        elif call and call.words[:-1] != [b"handle", b"--"]:
            wrong.append("%.60r: the words before it are %r" % (url, call.words[:-1]))
    extra = [call for call in test.home.forget() if call.name in ("handle", "private")]
    wrong += ["more than one start: %r" % (call,) for call in extra]
    if os.path.exists(test.home.path + "/owned"):
        wrong.append("a command out of a URL was run")
    changes = sum(known.received(url) not in (None, url) for url in urls)
    losses = sum(known.received(url) is None for url in urls)
    test.checks.check("%s: %d URLs arrive byte for byte, %d with known changes, %d are not opened" % (
        name, len(urls) - changes - losses, changes, losses), not wrong, "\n".join(wrong))
    if not reached:
        return "", "no handler", " or ".join(sorted(failures))
    tokens = " or ".join(sorted(tokens))
    expected = TOKENS[known.way]
    test.checks.equal("%s: the handler has the tokens: %s" % (name, expected), tokens, expected)
    return "%d, %d same of %d" % (reached, same, len(urls)), tokens, ""


def ask_error(test, name, cause):
    """Whether an error that the URL names no callback for is reported in the session; a cell of the table."""
    test.home.forget_notices()
    cause()
    seen, end = {}, time.monotonic() + 20
    found = []
    while len(seen) < 2 and time.monotonic() < end:
        found += test.home.log_lines()
        call = test.home.next_call("notification", limit=0.1)
        found += call.words if call else []
        seen.update({"log": 1} if any(b": notes: This action is private" in text for text in found) else {})
        seen.update({"notification": 1} if any(text.startswith(b"This action is private") for text in found) else {})
    test.checks.check("%s: an error is reported in the log and as a notification" % name, len(seen) == 2, found)
    leaks = [text for text in found if b"hunter2" in text]
    test.checks.check("%s: no value of the URL is in the report" % name, not leaks, leaks)
    return " and ".join(sorted(seen)) or "SILENT"


def start(session, opener, url, program, expects, limit=3):
    """Lets an opener open a URL, and returns what it does and how the program was started."""
    before = session.windows()
    seen = set()
    done = session.run(opener.words(url), limit, look=lambda: seen.update(session.windows() - before), **CALLER)
    fails = done.returncode not in (0, 124)
    call = session.home.next_call(program, limit=10 if expects else 0.05 if fails else 0.7)
    if call:
        return "opened" if program == "handle" else "the browser gets it", call
    seen.update(session.windows() - before)
    return "a window" if seen else "fails" if fails else "SILENT", None


def describe(call):
    """Which of the tokens a handler has, and where they come from."""
    def origin(value, variable):
        return "none" if not value else "caller's" if value == CALLER[variable] else "new"

    return "%s / %s" % (origin(call.token, "XDG_ACTIVATION_TOKEN"), origin(call.startup, "DESKTOP_STARTUP_ID"))
