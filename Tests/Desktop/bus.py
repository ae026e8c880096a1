"""What programs hand over on the message bus: it starts 'xcallbackd --desktop', which starts the command for each URL."""
from handover import CALLER
from openers import describe
from session import Session

NAME = "org.xcallback.Router"
APPLICATION = ["--session", "--dest", NAME, "--object-path", "/org/xcallback/Router", "--method"]
TOKENS = [
    ("{}", "none / none"),
    ("{'activation-token': <'%(XDG_ACTIVATION_TOKEN)s'>}" % CALLER, "caller's / new"),
    ("{'desktop-startup-id': <'%(DESKTOP_STARTUP_ID)s'>}" % CALLER, "new / caller's"),
    ("{'activation-token': <'%(XDG_ACTIVATION_TOKEN)s'>, 'desktop-startup-id': <'%(DESKTOP_STARTUP_ID)s'>}" % CALLER,
     "caller's / caller's"),
    ("{'activation-token': <7>, 'other': <@as []>}", "none / none"),
]


def run(test):
    test.home.activate_by_bus()
    with Session(test.home, test.display, "GNOME") as session:
        call_directly(test, session)


def call_directly(test, session):
    """What the bus starts, and the tokens that callers of the bus hand over."""
    test.facts.check("nothing has the name %s before the first URL" % NAME, not session.owns(NAME))
    for data, expected in TOKENS:
        url = "notes:/echo?text=a%20b&x-source=caller"
        done = session.run(["gdbus", "call", *APPLICATION, "org.freedesktop.Application.Open", "['%s']" % url, data])
        call = test.home.next_call("handle")
        test.facts.check("a call of Open with %s starts the handler" % data,
                         done.returncode == 0 and call and call.words == [b"handle", b"--", url.encode()],
                         "%s\n%s" % (done.stdout, call))
        test.facts.equal("a call of Open with %s: the tokens are %s" % (data, expected), call and describe(call),
                         expected)
    test.facts.check("the bus has started what has the name %s" % NAME, session.owns(NAME))
    session.run(["gdbus", "call", *APPLICATION, "org.freedesktop.Application.Open", "['notes:/x', 'notes:/y']", "{}"])
    calls = [test.home.next_call("handle"), test.home.next_call("handle")]
    test.facts.equal("a call of Open with two URLs starts the handler for each",
                     sorted(call.words[-1] for call in calls if call), [b"notes:/x", b"notes:/y"])
    done = session.run(["gdbus", "call", *APPLICATION, "org.freedesktop.Application.Activate", "{}"])
    calls = [call for call in test.home.forget(quiet=1) if call.name == "handle"]
    test.facts.check("a call of Activate is answered, and starts no handler", done.returncode == 0 and not calls,
                     "%s\n%s" % (done.stdout, calls))
