"""Forms of 'xcallback pick' and of links with the real zenity and kdialog, filled in by keyboard alone, as a screen reader reads
them."""
import json
import os
import shutil
import subprocess
import time
import urllib.parse

import dialogs

ROUTES = """schemes: [form]
routes:
  - route: form:/all/:id
    title: All <of> it
    description: What & why
    input:
      id: { type: int, max: 9, description: The number }
      mark: { type: enum, values: [todo, done], default: todo }
      sure: { type: bool, required: false }
      day: { type: date, required: false }
      ratio: { type: number, required: false }
      tags: { type: list, required: false }
      link: { type: url, required: false }
      key: { secret: true, min-length: 2 }
      text: { required: false }
    exec: [grep, -o, '"parameters":{{[^}}]*}}']
  - { route: form:/one, input: { name: string }, respond: { told: "{name}" } }
  - { route: form:/note, input: { text: { max-length: 20000 } }, respond: { told: "{text}" } }
  - { route: form:/choice, input: { value: { type: enum, values: [%s] } }, respond: { told: "{value}" } }
  - route: form:/link
    public: true
    ask: true
    input: { host: { max-length: 20000, allow-dash: true }, user: { description: The name }, port: { type: int, default: 1194 } }
    exec: [sh, -c, 'printf "%%s\\n" "$@" >"$HOME/answer"', sh, "{host}", "{user}", "{port}"]
  - { route: form:/file, input: { file: file }, respond: { told: "{file}" } }
  - { route: form:/many, input: { %s }, respond: { told: "yes" } }
""" % (", ".join("number%d" % number for number in range(300)),
       ", ".join("p%d: { required: false }" % number for number in range(20)))
# More than the time after the start of a dialog in which its answer does not count.
SETTLED = 3.2
HOSTILE = "-\"it's\" a|b % \\n <b>&amp; \u05e9\u05dc\u05d5\u05dd"


class Form(dialogs.Question):
    """A command that asks, and its windows."""

    def __init__(self, session, tool, route):
        self.session, self.last = session, None
        self.process = session.pick(tool, route)

    def tool(self):
        return self.session.tool(self.process)

    def next(self, wait=SETTLED):
        """Waits for the next window; its tree, unless something must be done at once."""
        self.last = self.window(after=self.last)
        time.sleep(wait)
        return self.tree() if wait else ""

    def tree(self):
        return self.session.tree()

    def type(self, text):
        self.session.type(text)

    def has(self, text):
        """Whether the fields have a text, as far as the tree shows that: fields of GTK 4 have none."""
        return text in self.tree() or self.session.is_new and self.last[0] == self.tool()

    def answer(self):
        """What it prints, without the warnings of GTK."""
        output, errors = self.process.communicate(timeout=20)
        return output + "".join(line for line in errors.splitlines(True) if line.startswith("xcallback"))


class Screen(dialogs.Session):
    """A screen with a daemon of its own."""

    hostile, form = HOSTILE, Form

    def start_daemon(self):
        self.start_manager()
        del self.environment["NO_AT_BRIDGE"]
        bus = "unix:path=%s/run/bus" % self.home
        self.environment |= {"DBUS_SESSION_BUS_ADDRESS": bus, "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
        self.start(["dbus-daemon", "--session", "--nofork", "--address=" + bus])
        self.program, self.socket = shutil.which("xcallback"), self.home + "/socket"
        with open(self.home + "/config.yaml", "w") as file:
            file.write(ROUTES)
        self.start([shutil.which("xcallbackd"), "--config", file.name, "--socket", self.socket])
        self.wait(lambda: os.path.exists(self.socket), "the daemon does not start")
        self.is_new = self.tell(["zenity", "--version"]).startswith("4")

    def pick(self, tool, route):
        return subprocess.Popen(
            [self.program, "pick", "--print", "--socket", self.socket, route], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=self.environment | {"PATH": self.folder_of(tool)})

    def tool(self, process):
        return next(iter(self.tell(["pgrep", "-P", str(process.pid)]).split()), None)

    def tree(self):
        words = ["/usr/bin/python3", os.path.join(os.path.dirname(__file__), "tree.py")]
        return self.tell([*words, "zenity"]) + self.tell([*words, "kdialog"])

    def type(self, text):
        self.tell(["xdotool", "type", "--delay", "60", "--", text])

    def shows(self, form):
        """Whether the whole window of a form is on the screen."""
        x, y, width, height = form.box(form.last)
        return y + height <= dialogs.SIZE[1]

    def press_at_once(self, *keys):
        self.tell(["xdotool", "key", "--delay", "10", *keys])


def sent_at_once(session, tool, route, limit, *keys):
    """A form that gets keys as soon as it appears; a busy machine can take too long for that."""
    for _ in range(10):
        start = time.monotonic()
        form = session.form(session, tool, route)
        form.next(0)
        session.press_at_once(*keys)
        if time.monotonic() - start < limit:
            return form
        if form.process.poll() is None:
            form.cancel()
    raise RuntimeError("this machine is too slow")


def zenity(session):
    check = session.check
    form = session.form(session, "zenity", "form:/all/:id")
    tree = form.next()
    labels = ["All <of> it", "What & why", "id: The number (int to 9)", "mark: enum, default: todo", "sure: bool, optional",
              "day: date, optional", "tags: list of string, optional", "key: string, at least 2 characters", "text: string, optional"]
    missing = [label for label in labels if repr(label) not in tree]
    check("zenity: a screen reader reads all labels of a form", not missing, f"{missing}\n{tree}")
    for text, keys in [("10", ["Tab"]), ("", ["space", "Down", "Down", "Return", "Tab", "Tab"]), ("2026-13-01", ["Tab", "Tab"]),
                       ("a,b c", ["Tab", "Tab"]), ("p|w", ["Tab"]), (session.hostile, [])]:
        form.type(text)
        form.keys(*keys)
    check("zenity: a secret is not read", "p|w" not in form.tree())
    form.shot("zenity-form")
    form.keys("Tab", "Tab", "Return")
    tree = form.next()
    check("zenity: only the wrong value is asked for again", "must be at most 9" in tree and form.has("10'") and "sure" not in tree, tree)
    form.keys("ctrl+a", "7", "Return")
    check("zenity: then the next one", "day: must be a date" in form.next() and form.has("2026-13-01'"))
    form.keys("ctrl+a", "BackSpace", "Return")
    answer = form.answer()
    # Choices that nobody made are none.
    for part in ('"id":7', '"mark":"done"', '"tags":["a","b c"]', '"key":"p|w"', 
                 '"text":' + json.dumps(session.hostile, ensure_ascii=False)):
        check("zenity: the answer has %s" % part, part in answer and "sure" not in answer and "day" not in answer, answer)

    form = sent_at_once(session, "zenity", "form:/all/:id", 3, "5", *["Tab"] * 10, "Return")
    tree = form.next()
    check("zenity: a form that is sent at once comes again, empty", "'id: The number (int to 9)'" in tree and "'5'" not in tree, tree)
    form.keys("Escape")
    check("zenity: Escape sends nothing", "the menu was closed; nothing was sent" in form.answer())

    form = session.form(session, "zenity", "form:/many")
    for page in 1, 2:
        tree = form.next()
        check("zenity: page %d of 20 values is on the screen" % page,
              session.shows(form) and tree.count("label 'p") == 10, tree)
        form.keys(*["Tab"] * 11, "Return")
    check("zenity: 20 values can stay empty", form.answer() == "told=yes\n")

    form = session.form(session, "zenity", "form:/choice")
    tree = form.next()
    check("zenity: a choice of 300 is a list", "'number5'" in tree, tree)
    form.type("number299")
    time.sleep(1)
    form.keys("Return", "Return")
    check("zenity: a typed part selects a line", form.answer() == "told=number299\n")


def each(session, tool, leaving):
    check = session.check
    form = sent_at_once(session, tool, "form:/one", 1.5, "p", "q", "Return")
    tree = form.next()
    check("%s: a value that is sent at once comes again, empty" % tool, "pq'" not in tree, tree)
    form.type(session.hostile)
    form.keys("Return")
    answer = form.answer()
    check("%s: it arrives unchanged" % tool, answer == "told=%s\n" % session.hostile, answer)

    form = session.form(session, tool, "form:/note")
    form.next()
    lines = [str(number) for number in range(100)]
    form.keys(*[key for line in lines for key in (*line, "Return")][:-1])
    form.shot(tool + "-lines")
    form.keys(*leaving)
    answer = form.answer()
    check("%s: 100 lines arrive" % tool, [line.strip() for line in answer[5:].split("\n")] == lines + [""], answer)

    form = session.form(session, tool, "form:/note")
    form.next()
    form.type("something")
    form.keys("Escape")
    check("%s: Escape sends nothing" % tool, "the menu was closed; nothing was sent" in form.answer())


class Link(Form):
    """A link that the desktop opens, and the windows of the daemon."""

    def __init__(self, session, url):
        self.session, self.last = session, None
        self.process = session.start([session.program, "handle", "--socket", session.socket, "--", url])

    def window(self, after=None):
        def find():
            # Windows of two programs can have the same number.
            names = self.session.tell(["xdotool", "search", "--onlyvisible", "--class", "zenity"]).split()
            windows = [(self.session.tell(["xdotool", "getwindowpid", name]), name) for name in names]
            return next((window for window in windows if window != after), None)
        return self.session.wait(find, "no window appears")


def links(session):
    """A page that opens a link while somebody types sends nothing, and what it says is shown and cannot be edited."""
    check, answer = session.check, session.home + "/answer"
    for text, shown in [("vpn.example.org", "“vpn.example.org”"), (HOSTILE, "<b>&amp;"), ("a\n\u202eb" + "x" * 10000, "⏎")]:
        link = Link(session, "form:/link?host=" + urllib.parse.quote(text))
        link.next(0)
        session.tell(["xdotool", "type", "--delay", "100", "yes, I do\n"])
        tree = link.next()
        check("a link asks again after a sentence", shown in tree and "Yes opens a form for: user, port" in tree, tree)
        link.keys("Right", "Return")
        link.next(0)
        session.tell(["xdotool", "type", "--delay", "100", "a sentence\n"])
        time.sleep(SETTLED)
        tree = link.tree()
        check("another one sends nothing from the form", link.process.poll() is None and not os.path.exists(answer), tree)
        check("what the link says is in the form, as text", shown in tree and "'user: The name'" in tree, tree)
        check("a long or odd value is shown with its codes", "\u202e" not in text or "U+202E" in tree and "of 10004 characters" in tree, tree)
        link.shot("link-%d" % len(text))
        link.keys("ctrl+a")
        link.type("ann")
        link.keys("Tab", "Tab", "Tab", "Return")
        status = link.ending(20)
        check("then the action runs", status == 0, status)
        with open(answer) as file:
            written = file.read()
        check("with the values of the link and of the form", written == text + "\nann\n1194\n", repr(written[-100:]))
        os.remove(answer)
    link = Link(session, "form:/link?host=a")
    link.next()
    link.keys("Return")
    check("Return is a no, and the action rests", link.ending(20) == 3)


class FileForm(Form):
    """A command that asks for a file. GTK 4 lets the desktop's portal show the window, if there is one."""

    def window(self, after=None):
        def find():
            windows = self.session.tell(["xdotool", "search", "--onlyvisible", "--name", "file"]).split()
            return (self.tool(), windows[-1]) if windows else None
        return self.session.wait(find, "no window appears")


def files(session, tool):
    """A file is chosen in a window."""
    path = session.home + "/-a b.txt"
    open(path, "w").close()
    form = FileForm(session, tool, "form:/file")
    form.next()
    form.shot(tool + "-file")
    if tool == "zenity":
        form.keys("ctrl+l")
    form.keys("ctrl+a")
    form.type(path)
    form.keys("Return")
    answer = form.answer()
    session.check("%s: a file is chosen" % tool, answer == "told=%s\n" % path, answer)


def run(checks, folder):
    session = Screen(checks, folder)
    try:
        session.start_daemon()
        zenity(session)
        links(session)
        files(session, "zenity")
        files(session, "kdialog")
        each(session, "zenity", ["ctrl+Tab", "Tab", "Return"] if session.is_new else ["ctrl+Tab", "Return"])
        each(session, "kdialog", ["shift+Tab", "Return"])
    finally:
        session.end()
