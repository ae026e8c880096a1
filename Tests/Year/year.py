"""A year of three users on one machine: year.py DAYS SECONDS. 'run' starts it in a virtual machine, again after each reboot.

A request is right (the expected answer), refused (an error with a reason), unsent (no daemon took it), cut (no whole answer) or
wrong. Each request that writes has a number of its own: what succeeded is in the file once, what did not at most once.
"""
import concurrent.futures
import json
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import time

STATE = "/var/lib/year/state.json"
USERS = ["ada", "ben", "cyd"]
UNIT = "xcallbackd.service"
FULL, BUS, UPGRADE, SUSPEND, REBOOT, BACK = (75, 165, 255), (85, 175, 265), (30, 60, 120, 180, 240, 300), (20, 110, 200), (45, 135, 225), 100
REPORTS = (1, 10, 50, 100, 150, 200, 250, 300, 350)
CONFIGURATION = """schemes: [year]
routes:
  - { route: "year:/echo/:id", respond: { id: "{id}" } }
  - route: year:/add/:id
    description: Writes a number down.
    public: true
    agent: true
    effect: add
    exec: [sh, -c, 'echo "$1" >>~/added && echo "$1"', --, "{id}"]
  - route: year:/ask/:id
    public: true
    policies: [{ confirm: { text: "Write {id} down?", timeout: 90s } }]
    exec: [sh, -c, 'echo "$1" >>~/added && echo "$1"', --, "{id}"]
  - { route: "year:/slow", exec: [sh, -c, "echo '[1/2] half' >&2; sleep 60"], progress: true, timeout: 90s }
"""
TIMER = {
    "daily.service": "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'xcallback open year:/add/timer-$$(date +%%s)'\n",
    "daily.timer": "[Timer]\nOnCalendar=daily\nPersistent=true\n[Install]\nWantedBy=timers.target\n",
}


class User:
    def __init__(self, name):
        entry = pwd.getpwnam(name)
        self.name, self.home, self.uid = name, entry.pw_dir, entry.pw_uid
        self.runtime = f"/run/user/{self.uid}"
        self.environment = {
            "HOME": self.home, "USER": name, "LOGNAME": name, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": self.runtime, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus", "DISPLAY": ":1",
        }

    def run(self, *words, limit=120, text=None):
        """The exit status and the output of a command."""
        try:
            process = subprocess.run(
                words, user=self.name, group=self.name, extra_groups=[], env=self.environment, cwd=self.home, input=text,
                stdin=subprocess.DEVNULL if text is None else None, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, timeout=limit)
            return process.returncode, process.stdout.strip()
        except subprocess.TimeoutExpired as error:
            return 124, f"no end after {limit} s: {error.stdout}"

    def systemctl(self, *words):
        return self.run("systemctl", "--user", *words)

    def daemon(self):
        return int(self.systemctl("show", "--property=MainPID", "--value", UNIT)[1] or 0)


def once(words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


class Year:
    def __init__(self, days, seconds):
        self.days, self.seconds = days, seconds
        self.state = {"day": 0, "counts": {}, "users": {}, "clock": None, "wrong": [], "reasons": {}, "reports": []}
        if os.path.exists(STATE):
            with open(STATE) as file:
                self.state = json.load(file)
        else:
            self.prepare()
        self.users = [User(name) for name in USERS]
        for user in self.users:
            self.wait(lambda: os.path.exists(user.runtime + "/bus"), f"{user.name} has a service manager")
        self.screen = subprocess.Popen(["Xvfb", ":1", "-nolisten", "tcp", "-ac"], stderr=subprocess.DEVNULL)
        self.wait(lambda: os.path.exists("/tmp/.X11-unix/X1"), "there is a screen")
        self.manager = subprocess.Popen(["openbox"], env={"DISPLAY": ":1", "HOME": "/root", "PATH": "/usr/bin"}, stderr=subprocess.DEVNULL)
        for user in self.users:
            user.systemctl("import-environment", "DISPLAY")

    def wait(self, condition, what, limit=180):
        end = time.monotonic() + limit
        while not condition():
            if time.monotonic() > end:
                self.blame(f"not seen within {limit} s: {what}")
                return
            time.sleep(0.2)

    def say(self, text):
        print(text, flush=True)

    def blame(self, text):
        self.state["wrong"].append(f"day {self.state['day']}: {text}")
        self.say(f"WRONG   day {self.state['day']}: {text}")

    def prepare(self):
        os.makedirs("/var/lib/year")
        once(["dpkg", "--install", "/year/first.deb"])
        for number, name in enumerate(USERS):
            once(["useradd", "--create-home", "--uid", str(1001 + number), "--shell", "/bin/bash", name])
            once(["loginctl", "enable-linger", name])
        with open("/etc/cron.d/year", "w") as file:
            file.write("* * * * * ada xcallback open year:/add/cron-$(date +\\%s) >/dev/null 2>>/home/ada/cron.log\n")
        for name in USERS:
            user = User(name)
            self.wait(lambda: os.path.exists(user.runtime + "/bus"), f"{name} has a service manager")
            status, output = user.run("xcallback", "setup", "todo")
            if status:
                self.blame(f"setup todo of {name}: {output}")
            files = {".config/xcallbackd/routes.d/year.yaml": CONFIGURATION}
            files |= {".config/systemd/user/" + unit: text for unit, text in TIMER.items()}
            for path, text in files.items():
                user.run("sh", "-c", 'umask 077; mkdir -p "$(dirname "$1")"; cat >"$1"', "--", path, text=text)
            for words in [("systemctl", "--user", "daemon-reload"), ("systemctl", "--user", "enable", "--now", "daily.timer"),
                          ("xcallback", "reload"), ("xcallback", "register", "year")]:
                status, output = user.run(*words)
                if status:
                    self.blame(f"{words} of {name}: {output}")

    def save(self):
        self.state["clock"] = time.time()
        with open(STATE + ".new", "w") as file:
            json.dump(self.state, file)
        os.rename(STATE + ".new", STATE)

    def count(self, door, outcome, reason=None):
        counts = self.state["counts"].setdefault(door, {})
        counts[outcome] = counts.get(outcome, 0) + 1
        if outcome in ("wrong",):
            self.blame(f"{door}: {reason}")
        elif reason and outcome != "right":
            self.state["reasons"][reason] = self.state["reasons"].get(reason, 0) + 1

    # Doors

    def judge(self, door, identifier, status, output, expected):
        """What became of a request of a command."""
        if status == 0 and expected in output:
            self.succeeded.add(identifier)
            return self.count(door, "right")
        self.unsure.add(identifier)
        # The number of the request is no part of the reason.
        reason = output.replace(identifier, "N").split("\n")[-1][:160]
        if status in (1, 3, 4) and re.search(r"\(\d+(, request \S+)?\)$|^cancelled", output):
            return self.count(door, "refused", f"{door}: {reason}")
        if status == 69 or "(503)" in output:
            return self.count(door, "unsent", f"{door}: {reason}")
        self.count(door, "cut" if "connection" in output else "wrong", f"{door}: {status} {reason}")

    def command(self, user, identifier):
        status, output = user.run("xcallback", "open", f"year:/add/{identifier}")
        self.judge("a command", identifier, status, output, f"result={identifier}")

    def click(self, user, identifier):
        """What a browser starts for a click. Its exit status says nothing, so the file tells what became of the link."""
        user.run("xdg-open", f"year:/add/{identifier}")
        self.clicked.add(identifier)

    def assistant(self, user, identifier):
        def message(number, method, **parameters):
            return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}) + "\n"

        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "year", "version": "1"}}
        process = subprocess.Popen(
            ["xcallback", "mcp"], user=user.name, group=user.name, extra_groups=[], env=user.environment, cwd=user.home,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        reply = {}
        try:
            for number, method, parameters in [
                (1, "initialize", client), (2, "tools/list", {}),
            ]:
                process.stdin.write(message(number, method, **parameters))
                process.stdin.flush()
                reply = json.loads(process.stdout.readline() or "{}")
            tools = [tool["name"] for tool in reply.get("result", {}).get("tools", [])]
            tool = next((name for name in tools if "add" in name and "year" in name), None)
            process.stdin.write(message(3, "tools/call", name=tool, arguments={"id": identifier}))
            process.stdin.flush()
            while reply.get("id") != 3:
                line = process.stdout.readline()
                if not line:
                    break
                reply = json.loads(line)
        except (BrokenPipeError, ValueError) as error:
            reply = {"error": {"message": str(error)}}
        process.stdin.close()
        process.wait()
        result = reply.get("result", {})
        output = " ".join(part.get("text", "") for part in result.get("content", [])) or json.dumps(reply)
        if result and not result.get("isError") and identifier in output:
            self.succeeded.add(identifier)
            return self.count("an assistant", "right")
        self.unsure.add(identifier)
        self.count("an assistant", "refused" if result.get("isError") or "error" in reply else "wrong",
                   f"an assistant: {output.replace(identifier, 'N')[:200]}")

    def question(self, user, identifier, yes):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            asked = pool.submit(user.run, "xcallback", "open", f"year:/ask/{identifier}", limit=150)
            found = subprocess.run(
                ["timeout", "60", "xdotool", "search", "--sync", "--onlyvisible", "--class", "zenity"],
                env={"DISPLAY": ":1", "PATH": "/usr/bin"}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split()
            # Keys that come early are not for the question.
            time.sleep(6)
            # No is the default.
            for key in ["Tab", "space"] if yes else ["Return"]:
                subprocess.run(["xdotool", "key", key], env={"DISPLAY": ":1", "PATH": "/usr/bin"}, stderr=subprocess.DEVNULL)
                time.sleep(0.5)
            status, output = asked.result()
        door = "a question, yes" if yes else "a question, no"
        if not found:
            self.unsure.add(identifier)
            return self.count(door, "refused", f"{door}: no window; {status} {output.replace(identifier, 'N')[:160]}")
        if not yes and status == 3:
            return self.count(door, "right")
        self.judge(door, identifier, status, output, f"result={identifier}")

    def cancel(self, user):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            asked = pool.submit(user.run, "xcallback", "open", "year:/slow")
            identifier = None
            for _ in range(60):
                status = json.loads(user.run("xcallback", "status", "--json")[1] or "{}")
                found = [each["id"] for each in status.get("requests", []) if each.get("route") == "year:/slow"]
                if found:
                    identifier = found[0]
                    break
                time.sleep(0.3)
            user.run("xcallback", "cancel", identifier or "none")
            status, output = asked.result()
        self.count("a cancel", "right" if status == 3 else "refused" if status == 1 else "wrong", f"a cancel: {status} {output}")

    def lines(self, user, identifiers):
        """A client of lines, which sends many requests at a time."""
        urls = [f"year:/{'add' if number % 5 == 0 else 'echo'}/{identifier}\n" for number, identifier in enumerate(identifiers)]
        # Root would be another user.
        whole = user.run(sys.executable, __file__, "lines", user.runtime + "/xcallbackd/socket", text="".join(urls))[1].split("\n")
        whole = [line for line in whole if line]
        for number, identifier in enumerate(identifiers):
            key = "result" if number % 5 == 0 else "id"
            answer = whole[number] if number < len(whole) else None
            if answer == f"xcallback://x-callback-url/success?{key}={identifier}":
                if number % 5 == 0:
                    self.succeeded.add(identifier)
                self.count("lines", "right")
                continue
            if number % 5 == 0:
                self.unsure.add(identifier)
            if answer is None:
                self.count("lines", "cut" if whole else "unsent", "lines: no answer")
            elif "errorCode=" in answer:
                self.count("lines", "refused", "lines: " + answer.replace(identifier, "N").split("errorMessage=")[-1][:120])
            else:
                self.count("lines", "wrong", f"lines: {identifier}: {answer}")

    # Days

    def events(self, day):
        """What happens while users work."""
        time.sleep(0.5)
        if day % 13 == 0:
            for user in self.users:
                if pid := user.daemon():
                    os.kill(pid, signal.SIGKILL)
        if day % 17 == 0:
            for user in self.users:
                status, output = user.run("xcallback", "reload")
                if status:
                    self.count("a reload", "refused", f"a reload: {output[:160]}")
        if day % 29 == 0:
            user = self.users[day % 3]
            path = user.home + "/.config/xcallbackd/routes.d/broken.yaml"
            user.run("sh", "-c", f"echo 'routs: []' >{path}")
            user.systemctl("restart", UNIT)
            status, output = user.run("xcallback", "doctor")
            if day not in FULL and (status == 0 or "broken.yaml" not in output):
                self.blame(f"doctor does not name the file with a fault: {status} {output}")
            user.run("rm", "-f", path)
            user.run("xcallback", "reload")
        if day in UPGRADE:
            package = "later" if UPGRADE.index(day) % 2 == 0 else "first"
            once(["dpkg", "--install", f"/year/{package}.deb"])
            for user in self.users:
                status, output = user.run("xcallback", "doctor")
                if "replaced" not in output and "older" not in output and "restart" not in output:
                    self.blame(f"doctor does not say that the program was replaced: {output[-300:]}")
                user.systemctl("restart", UNIT)

    def work(self, day, user):
        prefix = f"{user.name}-{day}"
        self.lines(user, [f"{prefix}-l{number}" for number in range(25)])
        # Programs start slowly on an emulated processor, so each kind has its days.
        kind = (day + self.users.index(user)) % 3
        if kind == 0:
            self.command(user, f"{prefix}-c")
        elif kind == 1:
            self.click(user, f"{prefix}-x")
        elif user.name == "ben":
            self.assistant(user, f"{prefix}-m")
        if user.name == "cyd" and day % 5 == 0:
            self.question(user, f"{prefix}-q", yes=day % 10 == 0)
        if day % 7 == 0:
            self.cancel(user)
        self.lines(user, [f"{prefix}-m{number}" for number in range(25)])

    def live(self, day):
        self.succeeded, self.unsure, self.clicked = set(), set(), set()
        filler = "/home/filler"
        if day in FULL:
            subprocess.run(["sh", "-c", f"dd if=/dev/zero of={filler} bs=64k; sync"], stderr=subprocess.DEVNULL)
        if day in BUS:
            for user in self.users:
                user.systemctl("stop", "dbus.socket", "dbus.service")
                subprocess.run(["pkill", "-KILL", "-u", user.name, "-x", "dbus-daemon"])
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for work in [pool.submit(self.events, day)] + [pool.submit(self.work, day, user) for user in self.users]:
                work.result()
        if day in FULL:
            os.remove(filler)
        if day in BUS:
            for user in self.users:
                once(["systemctl", "restart", f"user@{user.uid}.service"])
                user.systemctl("import-environment", "DISPLAY")
        found = []
        for user in self.users:
            with open(user.home + "/added") as file:
                lines = file.read().split("\n")[:-1]
            found += [line for line in lines if not re.match("cron|timer", line)]
            own = self.state["users"].setdefault(user.name, {"cron": 0, "timer": 0})
            for kind in own:
                own[kind] += sum(line.startswith(kind) for line in lines)
            doubled = {line for line in lines if lines.count(line) > 1 and not re.match("cron|timer", line)}
            if doubled:
                self.blame(f"done twice: {doubled}")
            # What timers write meanwhile stays for the next day.
            with open(user.home + "/added", "r+") as file:
                rest = file.read()[sum(len(line) + 1 for line in lines):]
                file.seek(0)
                file.truncate()
                file.write(rest)
        lost = self.succeeded - set(found)
        if lost and day not in FULL:
            self.blame(f"answered with success and not done: {sorted(lost)[:5]}")
        for link in self.clicked:
            self.count("a link", "right" if link in found else "refused", f"a link: day {day}")
        strange = set(found) - self.succeeded - self.unsure - self.clicked - {line for line in found if "-q" in line}
        if strange:
            self.blame(f"done without a request: {sorted(strange)[:5]}")

    def figures(self, day):
        for user in self.users:
            pid = user.daemon()
            if not pid:
                user.run("xcallback", "open", "year:/echo/wake")
                pid = user.daemon()
            with open(f"/proc/{pid}/status") as file:
                fields = dict(line.split(":", 1) for line in file)
            kept = sum(
                os.path.getsize(os.path.join(folder, name))
                for folder, _, names in os.walk(user.home + "/.local/state/xcallbackd") for name in names)
            processes = subprocess.run(
                ["pgrep", "-c", "-u", user.name], stdout=subprocess.PIPE, text=True).stdout.strip()
            journal = subprocess.run(["journalctl", "--disk-usage"], stdout=subprocess.PIPE, text=True).stdout
            row = [day, user.name, int(fields["VmRSS"].split()[0]), int(fields["Threads"]), len(os.listdir(f"/proc/{pid}/fd")),
                   kept, sum(len(names) for _, _, names in os.walk(user.runtime + "/xcallbackd")), int(processes),
                   int(user.systemctl("show", "--property=NRestarts", "--value", UNIT)[1] or 0),
                   re.search(r"take up (\S+)", journal)[1]]
            self.state["reports"].append(row)
            self.say("figures " + " ".join(map(str, row)))

    def go(self):
        if self.state["clock"]:
            once(["date", "--set", f"@{self.state['clock'] + 60:.0f}"])
        started = time.monotonic()
        while self.state["day"] < self.days:
            day = self.state["day"] = self.state["day"] + 1
            begin = time.monotonic()
            try:
                self.live(day)
            except Exception as error:
                self.blame(f"the day did not end well: {error!r}")
            if day in REPORTS or day == self.days:
                self.figures(day)
            self.say(f"day {day} took {time.monotonic() - begin:.1f} s, {time.strftime('%F')}")
            if day in SUSPEND:
                asleep = time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
                subprocess.run(["rtcwake", "--mode", "mem", "--seconds", "10"], stdout=subprocess.DEVNULL)
                asleep = time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic() - asleep
                self.say(f"suspended for {asleep:.0f} s")
            self.save()
            if day in REBOOT:
                self.say("reboots")
                once(["systemctl", "reboot"])
                time.sleep(600)
            time.sleep(max(0, self.seconds - (time.monotonic() - begin)))
            step = -7200 if day == BACK else 86400 - (time.monotonic() - begin)
            once(["date", "--set", f"@{time.time() + step:.0f}"])
        self.end()

    def end(self):
        for user in self.users:
            status, output = user.run("xcallback", "doctor")
            self.say(f"doctor of {user.name}: {status}\n{output}")
            history = user.run("xcallback", "history", "--json")[1].split("\n")
            self.say(f"history of {user.name}: {len(history)} entries, the oldest {history[-1][:200]}")
        errors = subprocess.run(
            ["journalctl", "--quiet", "--no-pager", "--priority=err", "--output=cat", "_COMM=xcallbackd"],
            stdout=subprocess.PIPE, text=True).stdout.split("\n")
        self.say(f"errors of daemons in the journal: {len(errors) - 1}")
        for line in sorted(set(re.sub(r"\d+", "N", line) for line in errors))[:20]:
            self.say("  " + line[:200])
        self.say(f"{'door':20} {'right':>8} {'refused':>8} {'unsent':>8} {'cut':>8} {'wrong':>8}")
        for door, counts in sorted(self.state["counts"].items()):
            kinds = ("right", "refused", "unsent", "cut", "wrong")
            self.say(f"{door:20} " + " ".join(f"{counts.get(kind, 0):8}" for kind in kinds))
        for name, own in self.state["users"].items():
            self.say(f"{name}: {own['timer']} runs of a daily timer, {own['cron']} of cron")
        self.say("reasons:")
        for reason, count in sorted(self.state["reasons"].items(), key=lambda item: -item[1])[:30]:
            self.say(f"  {count:6} {reason}")
        self.say("day user RSS/kB threads descriptors state/B runtime-files processes restarts journal")
        for row in self.state["reports"]:
            self.say("  " + " ".join(map(str, row)))
        if self.state["wrong"]:
            self.say("The year is over, and this is wrong:\n  " + "\n  ".join(self.state["wrong"]))
        else:
            self.say("The year is over, and nothing is wrong.")
        once(["systemctl", "poweroff"])


def exchange(path):
    """Sends standard input to a socket, and prints each whole line of what comes back."""
    answers = b""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(100)
    try:
        client.connect(path)
        client.sendall(sys.stdin.buffer.read())
        client.shutdown(socket.SHUT_WR)
        while data := client.recv(65536):
            answers += data
    except OSError:
        pass
    print(answers.decode()[:answers.decode().rfind("\n") + 1])


if sys.argv[1] == "lines":
    exchange(sys.argv[2])
else:
    Year(int(sys.argv[1]), float(sys.argv[2])).go()
