"""Real desktops without a screen: a login of an account of its own, what its windows show, and keys for them.

Everything is drawn by the processor: GNOME Shell and sway into memory, Plasma and openbox into an Xvfb.
"""
import json
import os
import shutil
import subprocess
import time

SIZE = "1280x800"
COMMON = {"LANG": "C.UTF-8", "LIBGL_ALWAYS_SOFTWARE": "1", "XDG_SESSION_CLASS": "user"}
PATIENCE = 120.0  # seconds; many programs share two processors

# The keys that start a command, together with the Super key; GNOME gets its own by the commands of the documents.
KEYS = {"x": "xcallback pick", "z": "xcallback pick menu:/hello"}

# The names in X11 of characters that are not letters or digits.
NAMES = {" ": "space", "-": "minus", '"': "quotedbl", "'": "apostrophe", "|": "bar", "%": "percent", "\\": "backslash", "<": "less",
         ">": "greater", "&": "ampersand", ";": "semicolon", ":": "colon", ",": "comma", ".": "period", "/": "slash", "=": "equal", "~": "asciitilde",
         "$": "dollar", "(": "parenleft", ")": "parenright", "\n": "Return"}

PAM = """auth required pam_permit.so
account required pam_permit.so
session required pam_limits.so
session required pam_systemd.so
"""

SCREEN = """Xvfb :7 -screen 0 %sx24 -nolisten tcp & screen=$!
trap 'kill $screen' EXIT
until DISPLAY=:7 xdpyinfo >/dev/null 2>&1; do sleep 0.1; done
""" % SIZE


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def until(condition, limit=PATIENCE, pause=0.3):
    """What a condition gives as soon as it holds; the last that it gave, if it does not within the limit."""
    end = time.monotonic() + limit
    while not (result := condition()) and time.monotonic() < end:
        time.sleep(pause)
    return result


class Desktop:
    """A desktop, and the account that logs in to it; use it with 'with'."""

    name = ""
    # What identifies the session, and its command for a shell.
    variables = {}
    command = ""
    display = {}
    # The program that shows notifications with buttons, by its name in the accessible tree.
    notifier = ""

    def __init__(self):
        self.user = self.name
        self.home = "/home/" + self.user
        subprocess.run(["useradd", "--create-home", "--shell", "/bin/bash", self.user], check=True)
        self.uid = int(subprocess.check_output(["id", "-u", self.user]))
        self.base = {
            "HOME": self.home, "USER": self.user, "LOGNAME": self.user, "SHELL": "/bin/bash", "LANG": "C.UTF-8",
            "PATH": "/usr/local/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR": "/run/user/%d" % self.uid,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/%d/bus" % self.uid,
        }
        self.environment = self.base
        self.unit = "login-%s" % self.user
        self.prepare()

    def prepare(self):
        """Writes settings before the login."""

    def __enter__(self):
        write("/etc/pam.d/desktop", PAM)
        settings = ["--setenv=%s=%s" % pair for pair in {**COMMON, **self.variables}.items()]
        subprocess.run(
            ["systemd-run", "--quiet", "--collect", "--unit=" + self.unit, "--uid=" + self.user, "--property=PAMName=desktop",
             "--working-directory=" + self.home, *settings, "sh", "-lc", self.command], check=True)
        if not until(self.is_up, 180):
            subprocess.run(["journalctl", "--boot", "--no-pager", "--lines=80"])
            raise SystemExit("%s does not start" % self.name)
        self.environment = {**self.base, **self.variables, **self.shown_environment(), **self.display}
        self.settle()
        return self

    def __exit__(self, *_):
        subprocess.run(["systemctl", "stop", self.unit])
        subprocess.run(["loginctl", "terminate-user", self.user], stderr=subprocess.DEVNULL)
        until(lambda: subprocess.run(["pgrep", "--uid", self.user], stdout=subprocess.DEVNULL).returncode, 30)
        # The next user makes sockets of the same names.
        shutil.rmtree("/tmp/.X11-unix", ignore_errors=True)
        os.mkdir("/tmp/.X11-unix")
        os.chmod("/tmp/.X11-unix", 0o1777)

    def shown_environment(self):
        """What the user's service manager gives to programs."""
        lines = self.run(["systemctl", "--user", "show-environment"]).stdout.splitlines()
        pairs = dict(line.split("=", 1) for line in lines if "=" in line)
        return {name: value.strip("$'") for name, value in pairs.items() if name not in self.base}

    def is_up(self):
        raise NotImplementedError

    def settle(self):
        """What a person does first."""

    def words(self, words, variables):
        shown = ["%s=%s" % pair for pair in {**self.environment, **variables}.items()]
        return ["runuser", "-u", self.user, "--", "env", "-i", "-C", self.home, *shown, *words]

    def run(self, words, limit=60, **variables):
        """Runs a program as from a terminal of the session; standard error is part of its output."""
        try:
            return subprocess.run(
                self.words(words, variables), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, timeout=limit)
        except subprocess.TimeoutExpired as error:
            output = (error.stdout or b"").decode(errors="replace")
            return subprocess.CompletedProcess(words, 124, "%s\n(it did not end)" % output, None)

    def start(self, words, **options):
        return subprocess.Popen(self.words(words, {}), text=True, **options)

    def call(self, *words):
        """The values that a method of the session's bus returns; none if it fails."""
        result = self.run(["busctl", "--user", "--json=short", "call", *words])
        return json.loads(result.stdout)["data"] if result.returncode == 0 else None

    def windows(self):
        """The titles of the windows."""
        raise NotImplementedError

    def window(self, text, limit=PATIENCE):
        """The title of the window that shows a text; empty if none does."""
        return until(lambda: next((title for title in self.windows() if text in title), ""), limit)

    def press(self, *keys):
        """Presses keys, one after the other, by their names in X11; 'super+x' is a combination."""
        raise NotImplementedError

    def press_at_once(self, *keys):
        """Presses keys with as little time between them as possible."""
        self.press(*keys)

    def type(self, text):
        """Types printable characters of ASCII."""
        self.press(*[NAMES.get(character, character) for character in text])

    def press_button(self, name):
        """Presses the button of a notification, as soon as there is one."""
        for _ in range(5):
            words = self.run(["python3", "/checks/tree.py", self.notifier, name]).stdout.split()
            if len(words) == 2:
                self.click(*words)
            # The tree can change while it is read.
            if len(words) in (0, 2):
                break

    def expand_notification(self):
        """Points at the notification, if its buttons are hidden until then."""

    def click(self, x, y):
        raise NotImplementedError

    def picture(self, path):
        """Keeps what the screen shows."""
        raise NotImplementedError


class Drawn(Desktop):
    """A desktop in an Xvfb, which has its keys and its pictures."""

    screen = {"DISPLAY": ":7"}

    def press(self, *keys):
        # A list of Qt begins another search after a pause of 400 ms.
        self.run(["xdotool", "key", "--delay", "100", *keys], **self.screen)
        time.sleep(0.1)

    def press_at_once(self, *keys):
        self.run(["xdotool", "key", "--delay", "10", *keys], **self.screen)

    def type(self, text):
        self.run(["xdotool", "type", "--delay", "60", "--", text], **self.screen)

    def picture(self, path):
        self.run(["import", "-silent", "-window", "root", path], **self.screen)

    def windows(self):
        names = self.run(["xdotool", "search", "--onlyvisible", "--name", "."], **self.screen).stdout.split()
        return [self.run(["xdotool", "getwindowname", name], **self.screen).stdout.strip() for name in names]


class Openbox(Drawn):
    """A window manager without a desktop, whose user has started it from a file of their own."""

    name = "openbox"
    variables = {"XDG_SESSION_TYPE": "x11", "XDG_CURRENT_DESKTOP": "openbox", "DESKTOP_SESSION": "openbox", "DISPLAY": ":7"}
    command = SCREEN + "dunst & openbox"
    display = {"DISPLAY": ":7"}

    def prepare(self):
        with open("/etc/xdg/openbox/rc.xml") as file:
            settings = file.read()
        bindings = "".join("<keybind key=\"W-%s\"><action name=\"Execute\"><command>%s</command></action></keybind>" % pair
                           for pair in KEYS.items())
        write(self.home + "/.config/openbox/rc.xml", settings.replace("</keyboard>", bindings + "</keyboard>"))
        subprocess.run(["chown", "-R", "%s:" % self.user, self.home], check=True)

    def is_up(self):
        return "window id" in self.run(["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"], DISPLAY=":7").stdout


class PlasmaX11(Drawn):
    name = "plasma"
    notifier = "plasmashell"
    variables = {"XDG_SESSION_TYPE": "x11", "XDG_CURRENT_DESKTOP": "KDE", "XDG_SESSION_DESKTOP": "KDE",
                 "DESKTOP_SESSION": "plasma", "DISPLAY": ":7", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    command = SCREEN + "startplasma-x11"

    def prepare(self):
        for name, lines in (("baloofilerc", "[Basic Settings]\nIndexing-Enabled=false\n"),
                            ("ksplashrc", "[KSplash]\nEngine=none\nTheme=None\n"),
                            ("kscreenlockerrc", "[Daemon]\nAutolock=false\nLockOnResume=false\n"),
                            ("plasma-welcomerc", "[General]\nShowWelcomeScreenOnStartup=false\n")):
            write("%s/.config/%s" % (self.home, name), lines)
        # As System Settings writes a shortcut for a command; Plasma 5 has another place and form.
        shortcuts = ""
        for key, command in KEYS.items():
            name = "key-%s.desktop" % key
            for folder in ("applications", "kglobalaccel"):
                write("%s/.local/share/%s/%s" % (self.home, folder, name),
                      "[Desktop Entry]\nType=Application\nName=%s\nExec=%s\nNoDisplay=true\nStartupNotify=false\n"
                      "X-KDE-GlobalAccel-CommandShortcut=true\n" % (command, command))
            shortcuts += "[services][%s]\n_launch=Meta+%s\n\n[%s]\n_k_friendly_name=%s\n_launch=Meta+%s,none,%s\n\n" % (
                name, key.upper(), name, command, key.upper(), command)
        write("%s/.config/kglobalshortcutsrc" % self.home, shortcuts)
        subprocess.run(["chown", "-R", "%s:" % self.user, self.home], check=True)

    def is_up(self):
        return self.run(["busctl", "--user", "status", "org.kde.plasmashell"]).returncode == 0

    def settle(self):
        # As a screen reader does when it starts: programs without the session's variables can be read, too.
        self.run(["busctl", "--user", "set-property", "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Status", "ScreenReaderEnabled",
                  "b", "true"])
        time.sleep(5)


class Plasma(PlasmaX11):
    """Plasma on Wayland: KWin's screen is a window of the Xvfb."""

    variables = {"XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "KDE", "XDG_SESSION_DESKTOP": "KDE",
                 "DESKTOP_SESSION": "plasmawayland", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    command = SCREEN + "startplasma-wayland"

    def prepare(self):
        super().prepare()
        width, height = SIZE.split("x")
        write("/etc/systemd/user/plasma-kwin_wayland.service.d/screen.conf",
              "[Service]\nEnvironment=KWIN_COMPOSE=Q\nExecStart=\n"
              "ExecStart=/usr/bin/kwin_wayland_wrapper --xwayland --x11-display :7 --width %s --height %s\n" % (width, height))

    def windows(self):
        # KWin looks for windows whose titles contain a text.
        found = self.call("org.kde.KWin", "/WindowsRunner", "org.kde.krunner1", "Match", "s", " ") or [[]]
        return [match[1] for match in found[0]]


class Sway(Desktop):
    name = "sway"
    variables = {"XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "sway", "XDG_SESSION_DESKTOP": "sway",
                 "DESKTOP_SESSION": "sway", "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1",
                 "WLR_RENDERER": "pixman", "WLR_NO_HARDWARE_CURSORS": "1"}
    command = "exec sway -c ~/sway"

    def prepare(self):
        # Without a program that holds a keyboard, the seat has none between two keys.
        write(self.home + "/sway", "include /etc/sway/config\noutput HEADLESS-1 mode %s\nexec mako\n"
                                   "exec wtype -s 2000000000\n" % SIZE
              + "".join("bindsym $mod+%s exec %s\n" % pair for pair in KEYS.items()))

    def is_up(self):
        sockets = [name for name in os.listdir(self.base["XDG_RUNTIME_DIR"]) if name.startswith("sway-ipc.")] \
            if os.path.isdir(self.base["XDG_RUNTIME_DIR"]) else []
        self.display = {"SWAYSOCK": "%s/%s" % (self.base["XDG_RUNTIME_DIR"], name) for name in sockets}
        return sockets and self.shown_environment().get("WAYLAND_DISPLAY")

    def windows(self):
        titles, nodes = [], [json.loads(self.run(["swaymsg", "-t", "get_tree", "-r"]).stdout)]
        while nodes:
            node = nodes.pop()
            nodes += node["nodes"] + node["floating_nodes"]
            if node.get("pid"):
                titles.append(node["name"] or "")
        return titles

    def press(self, *keys):
        # A button of GTK 3 forgets that it was pressed if its keyboard leaves at once.
        pause = "800" if len(keys) < 20 else "100"
        self.run(["wtype", *self.words_of([*keys, "Shift_L"], ["-s", pause])])

    def press_at_once(self, *keys):
        self.run(["wtype", *self.words_of([*keys, "Shift_L"], [])])

    def words_of(self, keys, pause):
        words = []
        for key in keys:
            *held, last = key.replace("super", "logo").split("+")
            words += [*pause, *[word for name in held for word in ("-M", name)], "-k", last,
                      *[word for name in held for word in ("-m", name)]]
        return words

    def type(self, text):
        self.run(["wtype", "-d", "60", "--", text])

    def picture(self, path):
        self.run(["grim", path])


class GNOME(Desktop):
    name = "gnome"
    variables = {"XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "GNOME", "XDG_SESSION_DESKTOP": "gnome",
                 "DESKTOP_SESSION": "gnome"}
    command = "exec gnome-session --disable-acceleration-check"
    SHELL = ("org.gnome.Shell", "/org/gnome/Shell")
    notifier = "gnome-shell"

    def prepare(self):
        write("/etc/systemd/user/org.gnome.Shell@wayland.service.d/screen.conf",
              "[Service]\nExecStart=\nExecStart=/usr/bin/gnome-shell --headless --unsafe-mode --virtual-monitor %s\n" % SIZE)
        write("/etc/dconf/profile/user", "user-db:user\nsystem-db:test\n")
        write("/etc/dconf/db/test.d/settings",
              "[org/gnome/desktop/interface]\ntoolkit-accessibility=true\nenable-animations=false\n"
              "[org/gnome/desktop/session]\nidle-delay=uint32 0\n[org/gnome/desktop/screensaver]\nlock-enabled=false\n"
              "[org/gnome/shell]\nwelcome-dialog-last-shown-version='99'\n")
        subprocess.run(["dconf", "update"], check=True)

    def evaluate(self, code):
        done, text = self.call(*self.SHELL, "org.gnome.Shell", "Eval", "s", code) or (False, "")
        return json.loads(text) if done and text else None

    def is_up(self):
        return self.evaluate("Main.layoutManager._startingUp ? 0 : 1")

    def settle(self):
        # A dialog behind the overview, with which the session begins, gets no keys.
        self.run(["busctl", "--user", "set-property", *self.SHELL, "org.gnome.Shell", "OverviewActive", "b", "false"])
        # Without animations, the shell hides a notification within an update, and shows the next one only in another update.
        self.evaluate("imports.gi.GLib.timeout_add(0, 500, () => { Main.messageTray._updateState(); return true; })")
        # The first key makes the keyboard, and no window gets it; so it is with the pointer.
        self.press("Shift_L")
        self.point(5, 400)

    def windows(self):
        return self.evaluate("global.get_window_actors().map(actor => actor.meta_window.title ?? '')") or []

    def press(self, *keys):
        for key in keys:
            for change in self.changes(key):
                self.evaluate(self.KEYBOARD + change)
            time.sleep(0.1)

    def press_at_once(self, *keys):
        self.evaluate(self.KEYBOARD + "".join(change for key in keys for change in self.changes(key)))

    KEYBOARD = ("const Clutter = imports.gi.Clutter; global.keys ??= Clutter.get_default_backend().get_default_seat()"
                ".create_virtual_device(Clutter.InputDeviceType.KEYBOARD_DEVICE);")

    def changes(self, key):
        held = [{"super": "Super_L", "ctrl": "Control_L", "shift": "Shift_L"}.get(name, name) for name in key.split("+")]
        for name, state in [(name, "PRESSED") for name in held] + [(name, "RELEASED") for name in held[::-1]]:
            yield ("global.keys.notify_keyval(Clutter.get_current_event_time() * 1000, Clutter.KEY_%s, Clutter.KeyState.%s);"
                   % (name, state))

    def expand_notification(self):
        # The Shell ignores a pointer that does not come from elsewhere, as one does that has just been made.
        self.point(640, 500)
        time.sleep(1)
        self.point(640, 85)
        time.sleep(2)

    def point(self, x, y, then=""):
        self.evaluate(
            "const Clutter = imports.gi.Clutter; global.pointer ??= Clutter.get_default_backend().get_default_seat()"
            ".create_virtual_device(Clutter.InputDeviceType.POINTER_DEVICE);"
            "const now = Clutter.get_current_event_time() * 1000;"
            "global.pointer.notify_absolute_motion(now, %s, %s); %s 1" % (x, y, then))

    def click(self, x, y):
        self.point(x, y, "for (const state of ['PRESSED', 'RELEASED'])"
                         " global.pointer.notify_button(now, Clutter.BUTTON_PRIMARY, Clutter.ButtonState[state]);")

    def picture(self, path):
        self.call(*self.SHELL[:1], self.SHELL[1] + "/Screenshot", "org.gnome.Shell.Screenshot", "Screenshot", "bbs",
                  "false", "false", path)
