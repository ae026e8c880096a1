"""Questions with the real tools of a desktop, on a screen of their own, answered with keys and clicks."""
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time

SIZE = (1024, 768)
# More than the time after the start of a tool in which answers do not count.
SETTLED = 3.2
PAGE = {"XCALLBACK_ORIGIN": "desktop", "XCALLBACK_ROUTE": "notes:/delete/:id", "XCALLBACK_SOURCE": "Safari"}
HOSTILE = {
    "long": ["W" * 1900, "\u6f22" * 1900, "\u202e" * 1900, "x " * 900],
    "lines": ["a”?\n\nThe administrator wants this.\nPress Yes", "a" * 60 + " A link or a web page asks for this.", " " * 80, "\u2028\r\n\v"],
    "markup": ["<b>bold</b> &lt;i&gt; <qt><h1>big", "a\\nb\\\\c &#10; %s _y", "<img src='file:///etc/passwd'>", "''”\""],
    "direction": ["\u202egnp.exe", "\u05e9\u05dc\u05d5\u05dd 123 \u05e9", "\u0645\u0631\u062d\u0628\u0627 (abc", "\u2067x"],
    "marks": ["Z\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308" * 40, "\u0336\u0336a", "\ufdfd" * 20, "\u3164\u2800a"],
}
QUESTION = "Send {} to {}?\nAlso {} and {}?"


class Session:
    """A screen, a window manager, and tools."""

    def __init__(self, checks, folder):
        self.checks, self.folder = checks, folder
        self.home = tempfile.mkdtemp(prefix="questions-")
        self.processes = []
        os.mkdir(f"{self.home}/run", 0o700)
        self.environment = {
            "DISPLAY": f":{self.start_screen()}", "HOME": self.home, "XDG_RUNTIME_DIR": f"{self.home}/run", "LANG": "C.UTF-8",
            "PATH": os.environ["PATH"], "NO_AT_BRIDGE": "1",
        }

    def start_manager(self):
        self.start(["openbox"])
        check = ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"]
        self.wait(lambda: "window id" in self.tell(check), "no window manager")

    def start_screen(self, *arguments):
        """Starts a screen under the first free number."""
        reading, writing = os.pipe()
        words = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-nolisten", "tcp", "-noreset"]
        self.processes.append(
            subprocess.Popen([*words, *arguments], pass_fds=[writing], stderr=subprocess.DEVNULL))
        os.close(writing)
        with os.fdopen(reading) as pipe:
            return int(pipe.readline())

    def start(self, words, **variables):
        process = subprocess.Popen(
            words, env=self.environment | variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def tell(self, words, **variables):
        """What a program prints."""
        return subprocess.run(
            words, env=self.environment | variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            timeout=30).stdout

    def wait(self, condition, fault, limit=120):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            result = condition()
            if result:
                return result
            time.sleep(0.01)
        raise RuntimeError(fault)

    def end(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(20)
        shutil.rmtree(self.home)

    def folder_of(self, *tools):
        """A folder for PATH that has these programs only."""
        path = f"{self.home}/{'-'.join(tools) or 'none'}"
        if not os.path.isdir(path):
            os.mkdir(path)
            for tool in tools:
                os.symlink(shutil.which(tool), f"{path}/{tool}")
        return path

    def check(self, text, holds, detail=""):
        self.checks.check(text, holds, detail)

    def press(self, *keys):
        for key in keys:
            self.tell(["xdotool", "key", key])
            time.sleep(0.05)

    def picture(self, path):
        self.tell(["import", "-window", "root", path])


class Question:
    """A question on the screen."""

    def __init__(self, session, tools, *words, options=(), **variables):
        self.session = session
        path = session.folder_of(*tools)
        self.process = subprocess.Popen(
            ["/usr/bin/xcallback", "ask", *options, "--", *words], env=session.environment | {"PATH": path} | variables,
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def tool(self):
        """The process of the tool; none if there is none at the moment."""
        try:
            path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
            return next((child for child in open(path).read().split()), None)
        except OSError:
            return None

    def window(self, after=None):
        """The window, or the next one after another."""
        def find():
            tool = self.tool()
            if tool is None:
                return None
            words = ["xdotool", "search", "--onlyvisible", "--pid", tool]
            windows = [name for name in self.session.tell(words).split() if (tool, name) != after]
            return (tool, windows[-1]) if windows else None
        return self.session.wait(find, "no window appears")

    def settled(self):
        window = self.window()
        time.sleep(SETTLED)
        return window

    def keys(self, *keys):
        self.session.press(*keys)

    def box(self, window):
        lines = self.session.tell(["xdotool", "getwindowgeometry", "--shell", window[1]]).split()
        # The reported position is wrong for a window with a frame.
        move = ["xdotool", "mousemove", "--window", window[1], "0", "0", "getmouselocation", "--shell"]
        values = dict(line.split("=") for line in lines + self.session.tell(move).split())
        return [int(values[name]) for name in ("X", "Y", "WIDTH", "HEIGHT")]

    def shot(self, name):
        self.session.picture(f"{self.session.folder}/{name}.png")

    def ending(self, limit=10):
        """The exit status; none if the question still stands."""
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            return None

    def cancel(self):
        self.process.terminate()
        self.process.wait(10)


def ask(session, tools, name, keys, words=("Delete note {}?", "42"), settle=True, limit=20, **variables):
    """Asks, takes a screenshot, presses keys; the exit status."""
    question = Question(session, tools, *words, **(PAGE | variables))
    try:
        if settle:
            question.settled()
        question.shot(name)
        question.keys(*keys)
        return question.ending(limit)
    finally:
        if question.process.poll() is None:
            question.cancel()


def dialog(session, tool, yes, silent):
    for keys in [["Return"], ["Escape"], ["Alt+F4"], ["space"], list("yes") + ["space"] + list("please") + ["Return"]]:
        keys = keys + ["Return"] if keys == ["space"] and "space" in silent else keys
        status = ask(session, [tool], f"{tool}-{keys[0]}-{len(keys)}", keys)
        session.check(f"{tool}: {' '.join(keys)} is a no", status == 1, status)
    for keys in [["y"], ["Alt+y"], ["Tab"]]:
        status = ask(session, [tool], f"{tool}-{keys[0]}", keys, limit=3)
        session.check(f"{tool}: {' '.join(keys)} is no answer", status is None or status < 0, status)
    status = ask(session, [tool], f"{tool}-yes", yes)
    session.check(f"{tool}: {' '.join(yes)} is a yes", status == 0, status)

    for early, late, status in [(yes, ["Escape"], 1), (["Escape"], yes, 0), (["Return"], yes, 0)]:
        question = Question(session, [tool], "Well?", **PAGE)
        first = question.window()
        question.keys(*early)
        second = question.window(after=first)
        standing = question.process.poll() is None and first[0] != second[0]
        session.check(f"{tool}: {' '.join(early)} at once does not count, and it is asked again", standing)
        time.sleep(SETTLED)
        question.keys(*late)
        ending = question.ending()
        session.check(f"{tool}: then {' '.join(late)} counts", ending == status, ending)

    for _ in range(5):
        asked, slowest = time.monotonic(), 0
        question = Question(session, [tool], "Well?", **PAGE)
        window, count = None, 0
        while question.process.poll() is None and count < 20:
            try:
                window = question.window(after=window)
            except RuntimeError:
                break
            count += 1
            question.keys(*yes)
            asked, slowest = time.monotonic(), max(slowest, time.monotonic() - asked)
        # A busy machine can take so long for a window that the answer is not early.
        if slowest < 3:
            break
    session.check(f"{tool}: ten early answers are a no", (count, question.ending()) == (10, 1), (count, question.ending()))

    for name, values in HOSTILE.items():
        question = Question(session, [tool], QUESTION, *values, **PAGE)
        window = question.settled()
        question.shot(f"{tool}-hostile-{name}")
        x, y, width, height = question.box(window)
        fits = x >= 0 and y >= 0 and x + width <= SIZE[0] and y + height <= SIZE[1]
        session.check(f"{tool}: {name} values leave the buttons on the screen", fits, (x, y, width, height))
        question.keys("Return")
        ending = question.ending()
        session.check(f"{tool}: Return is a no", ending == 1, ending)


def whole(session, tool, yes):
    """A text that does not fit is read first; neither going on from it nor closing it is an answer."""
    text = "".join(f"line {number} \u6f22 \u202e\n" for number in range(400))
    for name, going, answering, status in [("Yes", "Return", yes, 0), ("No", "Return", ["Return"], 1), ("Escape", "Escape", ["Escape"], 1)]:
        question = Question(session, [tool], "Run {}?", text, options=["--whole"], **PAGE)
        first = question.settled()
        question.shot(f"{tool}-text")
        question.keys(going)
        question.window(after=first)
        session.check(f"{tool}: {going} in a long text is no answer", question.process.poll() is None)
        time.sleep(SETTLED)
        question.keys(*answering)
        ending = question.ending()
        session.check(f"{tool}: {name} after a long text is a {'yes' if status == 0 else 'no'}", ending == status, ending)


def clicks(session):
    """Clicks where the button will be: a page knows that from the question before."""
    question = Question(session, ["zenity"], "Well?", **PAGE)
    x, y, width, height = question.box(question.settled())
    question.keys("Escape")
    question.ending()
    click = ["xdotool", "mousemove", str(x + width - 50), str(y + height - 35), "click", "1"]
    question = Question(session, ["zenity"], "Well?", **PAGE)
    first = question.window()
    session.wait(lambda: session.tell(click) or question.tool() != first[0], "the click reaches no button")
    session.tell(["xdotool", "mousemove", "0", "0"])
    second = question.window(after=first)
    session.check("zenity: a click at once does not count", question.process.poll() is None and first[0] != second[0])
    time.sleep(SETTLED)
    session.tell(click)
    ending = question.ending()
    session.check("zenity: then a click on Yes counts", ending == 0, ending)


def turns(session):
    first = Question(session, ["zenity"], "First?")
    first.settled()
    second = Question(session, ["zenity"], "Second?")
    time.sleep(SETTLED)
    session.check("a second question waits", second.tool() is None and second.process.poll() is None)
    first.keys("Return")
    session.check("the first one is answered", first.ending() == 1)
    second.settled()
    second.keys("Return")
    session.check("then the second one is asked", second.ending() == 1)
    third = Question(session, ["zenity"], "Third?")
    window = third.settled()
    third.process.send_signal(signal.SIGUSR1)
    again = third.window(after=window)
    session.check("a reminder shows the question again", again[0] != window[0] and third.process.poll() is None)
    time.sleep(SETTLED)
    third.keys("Escape")
    session.check("then it is answered", third.ending() == 1)


def obstacles(session):
    """Where no tool reaches the screen."""
    cookie = f"{session.home}/cookie"
    with open(cookie, "wb") as file:
        name, data = b"MIT-MAGIC-COOKIE-1", os.urandom(16)
        file.write(struct.pack(">HHHH", 0xFFFF, 0, 0, len(name)) + name + struct.pack(">H", len(data)) + data)
    closed = session.start_screen("-auth", cookie)
    for display, what in [("", "without a display"), (":65000", "without a server"), (f":{closed}", "refused by the server")]:
        for tools in [["zenity"], ["kdialog"], ["zenity", "kdialog"]]:
            question = Question(session, tools, "Well?", DISPLAY=display, XAUTHORITY="/dev/null", **PAGE)
            status = question.ending()
            lines = question.process.stderr.read().splitlines()
            told = bool(lines) and lines[-1].startswith('{"code":503,"message":"The user cannot be asked here; ')
            session.check(f"{' and '.join(tools)} {what}: nobody can be asked", status == 69 and told, (status, lines))


class Server:
    """A notification server, real or a stand-in, on the session's bus."""

    def __init__(self, session, words):
        self.session, self.lines = session, []
        self.process = subprocess.Popen(
            words, env=session.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        session.processes.append(self.process)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.split(maxsplit=3))

    def told(self, word, count=1):
        """The last line that begins with a word, once there are so many of them."""
        def find():
            lines = [line for line in self.lines if line[0] == word]
            return lines[-1] if len(lines) >= count else None
        return self.session.wait(find, f"the server does not tell '{word}' {count} times: {self.lines}")

    def count(self, word):
        return sum(line[0] == word for line in self.lines)

    def do(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.terminate()
        self.process.wait(20)


def notifications(session):
    address = f"unix:path={session.home}/run/bus"
    session.environment["DBUS_SESSION_BUS_ADDRESS"] = address
    session.start(["dbus-daemon", "--session", "--nofork", f"--address={address}"])
    session.wait(lambda: os.path.exists(f"{session.home}/run/bus"), "no message bus")
    server = Server(session, ["/usr/bin/python3", "/checks/notifications.py", "stand-in"])
    server.told("ready")
    tools = ["notify-send", "gdbus", "setsid", "setpriv"]
    shown = 0

    def ask(*words, **variables):
        nonlocal shown
        question = Question(session, tools, *words, **(PAGE | variables))
        shown += 1
        line = server.told("shown", shown)
        return question, line[1], line[2]

    ways = {"Yes": (["press", "yes"], 0), "No": (["press", "no"], 1), "dismissing it": (["dismiss"], 1)}
    for name, (words, status) in ways.items():
        question, number, _ = ask("Delete note {}?", "42 <b>&amp;\\n")
        time.sleep(SETTLED)
        server.do(words[0], number, *words[1:])
        ending = question.ending()
        session.check(f"a notification: {name} is {'a yes' if status == 0 else 'a no'}", ending == status, ending)
    question, number, _ = ask("Well?")
    server.do("press", number, "yes")
    shown += 1
    server.told("shown", shown)
    session.check("a notification: an early yes does not count, and it is asked again", question.process.poll() is None)
    question.cancel()
    ending = server.told("closed", shown)
    session.check("a notification is removed when its question is cancelled", ending[1] == str(shown), server.lines)

    # How the daemon ends a question whose request has timed out, or whose caller has left.
    question, number, _ = ask("Well?")
    question.process.kill()
    ending = server.told("closed", shown)
    session.check("a notification is removed when its question is killed", ending[1] == number, server.lines)

    question, number, sender = ask("Well?")
    time.sleep(SETTLED)
    path = "/org/freedesktop/Notifications"
    for destination in [["--dest", sender], []]:
        signal_words = ["--object-path", path, "--signal", "org.freedesktop.Notifications.ActionInvoked", number, "yes"]
        session.tell(["gdbus", "emit", "--session", *destination, *signal_words])
    time.sleep(1)
    session.check("a notification: a signal of another program is no answer", question.process.poll() is None)
    server.do("dismiss", number)
    ending = question.ending()
    session.check("then it can be dismissed", ending == 1, ending)
    for name, values in HOSTILE.items():
        question, number, _ = ask(QUESTION, *values)
        time.sleep(SETTLED)
        server.do("dismiss", number)
        ending = question.ending()
        session.check(f"a notification with {name} values can be dismissed", ending == 1, ending)

    def refuses(what, **variables):
        question = Question(session, tools, "Well?", **(PAGE | variables))
        status, text = question.ending(), question.process.stderr.read()
        session.check(f"{what} is asked by no notification", status == 69 and "install zenity or kdialog" in text, text)

    server.do("refuse", "1")
    question, number, _ = ask("Well?")
    time.sleep(SETTLED)
    server.do("press", number, "yes")
    ending = question.ending()
    session.check("a refused notification is shown again, and then a yes counts", ending == 0, ending)
    server.do("refuse", "2")
    refuses("a person whose desktop refuses it twice")
    session.check("it was refused three times in all", server.count("too-many") == 3, server.lines)
    for origin in ["agent", "internal"]:
        refuses(f"a request of the origin {origin}", XCALLBACK_ORIGIN=origin)
    session.check("nothing was shown for them", server.count("shown") == shown, server.lines)
    server.end()
    # The real one, which marks a notification with buttons and draws none.
    server = Server(session, ["dunst"])
    session.tell(["gdbus", "wait", "--session", "--timeout", "20", "org.freedesktop.Notifications"])
    refuses("somebody with dunst")


def run(checks, folder):
    """Asks questions, and leaves a picture of each in a folder."""
    session = Session(checks, folder)
    try:
        session.start_manager()
        dialog(session, "zenity", ["Right", "Return"], silent=[])
        clicks(session)
        dialog(session, "kdialog", ["Down", "Return"], silent=["space"])
        whole(session, "zenity", ["Right", "Return"])
        whole(session, "kdialog", ["Down", "Return"])
        turns(session)
        obstacles(session)
        notifications(session)
    finally:
        session.end()
