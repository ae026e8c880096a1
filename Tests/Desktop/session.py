"""Sessions: what programs see of a desktop, with a display, a message bus and a notification daemon."""
import os
import signal
import subprocess

from home import until

# The environment by which programs detect the desktop. The display is added to all but the last.
KINDS = {
    "GNOME": {"XDG_CURRENT_DESKTOP": "GNOME"},
    "KDE": {"XDG_CURRENT_DESKTOP": "KDE", "KDE_FULL_SESSION": "true", "KDE_SESSION_VERSION": "5"},
    "KDE, no version": {"XDG_CURRENT_DESKTOP": "KDE"},
    "XFCE": {"XDG_CURRENT_DESKTOP": "XFCE"},
    "none": {},
    "none, no display": {},
}

NOTIFICATIONS = """[global]
monitor = 0
notification_limit = 0
stack_duplicates = false
[recorder]
summary = *
script = %s/notification
"""

# A bus that starts the services of the system, except for the desktop portal.
BUS = """<busconfig>
  <type>session</type>
  <listen>%s</listen>
  <servicedir>%s</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
SERVICES = "/usr/share/dbus-1/services"


class Display:
    """An X server without a screen."""

    def __init__(self, home):
        reader, writer = os.pipe()
        self.log = open(home.path + "/xvfb.log", "w")
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"],
            env=home.environment, pass_fds=[writer], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        os.close(writer)
        with os.fdopen(reader) as number:
            self.name = ":" + number.readline().strip()
        if self.name == ":":
            raise SystemExit("Xvfb does not start: see its log")
        # dunst passes the text of a notification to its script in variables.
        home.record("notification", before='set -- "$DUNST_SUMMARY" "$DUNST_BODY"')
        self.settings = home.write("dunstrc", NOTIFICATIONS % home.bin)

    def stop(self):
        stop(self.process)
        self.log.close()


class Session:
    """A session of one kind, with the desktop portal or without. Use it with 'with'."""

    def __init__(self, home, display, kind, portal=True):
        self.home = home
        self.kind = kind
        self.display = display
        self.bus_address = "unix:path=%s/bus" % home.environment["XDG_RUNTIME_DIR"]
        self.variables = {**KINDS[kind], "DBUS_SESSION_BUS_ADDRESS": self.bus_address}
        self.bus_settings = ["--session"] if portal else ["--config-file=" + self.make_bus()]
        if kind != "none, no display":
            self.variables["DISPLAY"] = display.name

    def make_bus(self):
        """Writes the settings of a bus that cannot start the desktop portal, and returns the name of the file."""
        folder = self.home.path + "/services"
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(SERVICES):
            if "portal" not in name and not os.path.lexists(os.path.join(folder, name)):
                os.symlink(os.path.join(SERVICES, name), os.path.join(folder, name))
        return self.home.write("bus.conf", BUS % (self.bus_address, folder))

    def __enter__(self):
        environment = {**self.home.environment, **self.variables}
        self.log = open(self.home.path + "/session.log", "a")
        self.processes = []

        def start(*words, **more):
            self.processes.append(subprocess.Popen(
                words, env={**environment, **more}, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                start_new_session=True))

        start("dbus-daemon", *self.bus_settings, "--nofork", "--nopidfile", "--address=" + self.bus_address)
        until(lambda: os.path.exists(self.bus_address.split("=")[1]), "the message bus does not start")
        # Notifications appear on a display, even if the session's programs see none.
        start("dunst", "-config", self.display.settings, DISPLAY=self.display.name)
        until(lambda: self.owns("org.freedesktop.Notifications"), "dunst does not start")
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            stop(process)
        self.log.close()
        path = self.bus_address.split("=")[1]
        if os.path.exists(path):
            os.unlink(path)

    def owns(self, name):
        return "true" in self.call_bus("NameHasOwner", name).stdout

    def call_bus(self, method, *words):
        return self.run(["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/",
                         "--method", "org.freedesktop.DBus." + method, *words])

    def run(self, words, limit=30, look=None, **variables):
        return self.home.run(words, limit, look, **{**self.variables, **variables})

    def start(self, words, output, **variables):
        """Starts a program, whose output goes to a file, and does not wait for it."""
        with open(output, "w") as file:
            process = subprocess.Popen(
                words, env={**self.home.environment, **self.variables, **variables}, stdin=subprocess.DEVNULL,
                stdout=file, stderr=file)
        self.processes.append(process)
        return process

    def windows(self):
        """The numbers of the windows that can be seen, but for those of notifications."""
        tree = self.look_at("-root", "-tree")
        names = [line.split()[0] for line in tree.splitlines() if line.count('"') >= 2 and '"Dunst"' not in line]
        return {name for name in names if "IsViewable" in self.look_at("-id", name)}

    def look_at(self, *words):
        return self.home.run(["xwininfo", *words], DISPLAY=self.display.name).stdout


def stop(process):
    """Ends a process that this test has started."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

