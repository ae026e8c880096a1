"""A user's home with the daemon, registered schemes, and programs that record how they are started."""
import collections
import os
import select
import shutil
import signal
import socket
import subprocess
import time

import machine

PATIENCE = 10.0  # seconds in which a program must have been started
SCHEMES = ["notes", "web+notes", "n-1.2"]
ENTRY = "org.xcallback.Router.desktop"

CONFIGURATION = """schemes: [notes, web+notes, n-1.2]
callbacks: { allow: [done, nobody] }
routes:
  - { route: notes:/echo, public: true, respond: { text: "{text}" } }
  - { route: notes:/time, public: true, exec: [%(bin)s/time] }
  - { route: notes:/private, exec: [%(bin)s/private] }
"""

# One file per start, whose words end with NUL; its name is sent through the pipe once the file is complete.
RECORDER = """#!/bin/sh
%(before)s
file=$(mktemp %(calls)s/XXXXXXXX)
printf '%%s\\0' %(name)s "${XDG_ACTIVATION_TOKEN-}" "${DESKTOP_STARTUP_ID-}" "$0" "$@" >"$file"
echo "$file" >%(pipe)s
%(then)s
"""

# The start of a program: its name, the relevant environment, its file, its arguments, and the time at which this test
# noticed.
Call = collections.namedtuple("Call", "name token startup file words time")


class Home:
    """The home, and the daemon that runs in it."""

    def __init__(self):
        self.path = machine.HOME
        self.bin = self.path + "/bin"
        self.socket = self.path + "/socket"
        self.applications = self.path + "/.local/share/applications"
        self.calls = self.path + "/calls"
        for folder in (self.bin, self.calls, self.applications, self.path + "/cache"):
            os.makedirs(folder, exist_ok=True)
        pipe = self.path + "/pipe"
        os.mkfifo(pipe, 0o600)
        # Also open for writing, so that the pipe never ends.
        self.pipe = os.open(pipe, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self.pending = b""
        self.waiting = []
        # Receives log lines on machines with and without a journal.
        self.log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.log.bind("/dev/log")
        self.log.setblocking(False)
        self.environment = {
            "PATH": "%s:%s:/usr/bin:/bin" % (self.bin, machine.BIN), "HOME": self.path, "USER": machine.USER,
            "LOGNAME": machine.USER, "SHELL": "/bin/sh", "LANG": "C.UTF-8", "XDG_CACHE_HOME": self.path + "/cache",
            "XDG_RUNTIME_DIR": "/run/user/%d" % os.getuid(), "XDG_DATA_DIRS": "/usr/local/share:/usr/share",
            "XCALLBACK_SOCKET": self.socket,
        }
        self.record("handle", then='exec %s/xcallback "$@"' % machine.BIN)
        self.record("done")
        self.record("time")
        self.record("private")
        # xdg-open considers it the user's browser.
        self.record("x-www-browser")
        self.add_application("done", ["done"], "done %u")
        self.start_daemon()
        self.register()

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def read(self, name):
        with open(os.path.join(self.path, name)) as file:
            return file.read()

    def record(self, program, name="", then="", before=""):
        """Puts a program on the PATH that records how it is started, under its name or another one."""
        text = RECORDER % {"calls": self.calls, "pipe": self.path + "/pipe", "name": name or program, "then": then,
                           "before": before}
        return self.write("bin/" + program, text, 0o755)

    def add_application(self, name, schemes, command):
        self.write(".local/share/applications/%s.desktop" % name,
                   "[Desktop Entry]\nType=Application\nName=%s\nExec=%s/%s\nNoDisplay=true\nMimeType=%s\n" % (
                       name, self.bin, command, "".join("x-scheme-handler/%s;" % scheme for scheme in schemes)))
        self.run(["update-desktop-database", self.applications])

    def start_daemon(self):
        self.write("config.yaml", CONFIGURATION % {"bin": self.bin})
        self.serve()

    def serve(self):
        self.daemon_log = open(self.path + "/daemon.log", "w")
        self.daemon = subprocess.Popen(
            [machine.BIN + "/xcallbackd", "--config", self.path + "/config.yaml", "--socket", self.socket],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=self.daemon_log, stderr=self.daemon_log)
        until(lambda: os.path.exists(self.socket), "the daemon does not start: see %s" % self.daemon_log.name)

    def register(self):
        """Registers the schemes as a user does; then the entry starts the recorder, which starts the command."""
        done = self.run(["xcallback", "register", "--default", *SCHEMES], DISPLAY=":1")
        if done.returncode != 0:
            raise SystemExit("the schemes cannot be registered:\n" + done.stdout)
        name = ".local/share/applications/" + ENTRY
        self.entry = self.read(name)
        self.write(name, self.entry.replace(machine.BIN + "/xcallback handle", self.bin + "/handle handle"))

    def run(self, words, limit=30, look=None, **variables):
        """Runs a program to its end; standard error is part of its output.

        One that still runs after the limit is ended with all that it has started, and has the status 124. LOOK is
        called before.
        """
        process = subprocess.Popen(
            words, env={**self.environment, **variables}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, status = process.communicate(timeout=limit)[0], process.returncode
        except subprocess.TimeoutExpired:
            if look:
                look()
            os.killpg(process.pid, signal.SIGKILL)
            output, status = process.communicate()[0], 124
        return subprocess.CompletedProcess(words, status, output.decode(errors="replace"), None)

    def next_call(self, name=None, limit=PATIENCE):
        """The next start of a program, or None; others than the named one stay for later."""
        end = time.monotonic() + limit
        while True:
            for index, call in enumerate(self.waiting):
                if name is None or call.name == name:
                    return self.waiting.pop(index)
            rest = end - time.monotonic()
            if not select.select([self.pipe], [], [], max(rest, 0))[0]:
                return None
            now = time.monotonic()
            self.pending += os.read(self.pipe, 65536)
            *paths, self.pending = self.pending.split(b"\n")
            for path in paths:
                with open(path, "rb") as file:
                    words = file.read().split(b"\0")[:-1]
                os.unlink(path)
                self.waiting.append(Call(*(word.decode(errors="replace") for word in words[:4]), words[4:], now))

    def forget(self, quiet=0.0):
        """Drops what was recorded and logged, and returns it; QUIET is how long nothing may come."""
        calls = []
        while (call := self.next_call(limit=quiet)) is not None:
            calls.append(call)
        return calls + [Call("log", "", "", "", [line], 0.0) for line in self.log_lines()]

    def forget_notices(self):
        """Lets the next error be shown at once, whatever was shown before, and nothing of what was before."""
        self.forget(quiet=1)
        shutil.rmtree(self.environment["XDG_RUNTIME_DIR"] + "/xcallbackd/notices", ignore_errors=True)

    def log_lines(self):
        """The lines that programs have written to the log of the machine."""
        lines = []
        while True:
            try:
                lines.append(self.log.recv(65536))
            except BlockingIOError:
                return lines


def until(condition, failure, limit=15.0):
    """Waits until a condition holds."""
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(failure)
        time.sleep(0.02)
