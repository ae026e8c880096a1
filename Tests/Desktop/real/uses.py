"""The first uses of the README, on a real desktop, with real browsers."""
import http.server
import json
import os
import subprocess
import threading
import time
import urllib.parse

from desktops import until, write

# Their processes, and their desktop entries.
BROWSERS = ["chromium", "firefox-esr"]
# Neither browser asks a person who starts it for the first time, nor whether a link of the page may open 'notes:'.
LAUNCHES = [{"protocol": "notes", "allowed_origins": ["http://127.0.0.1"]}]
POLICIES = {
    "/etc/chromium/policies/managed/test.json": {"AutoLaunchProtocolsFromOrigins": LAUNCHES},
    "/etc/firefox/policies/policies.json": {"policies": {
        "AutoLaunchProtocolsFromOrigins": LAUNCHES, "DontCheckDefaultBrowser": True, "DisableTelemetry": True,
        "OverrideFirstRunPage": "", "OverridePostUpdatePage": "", "UserMessaging": {"SkipOnboarding": True},
        "Preferences": {"datareporting.policy.dataSubmissionPolicyBypassNotification": {"Value": True, "Status": "locked"}},
    }},
}
# The terminals that the desktops come with, and the first minute of the README as a person types it.
TERMINALS = {"gnome": "gnome-terminal", "plasma": "konsole"}
FIRST_MINUTE = ["xcallback setup todo", "xcallback open todo:/add --param task='Water the plants'", "xcallback open todo:/list"]
# Seconds for a key of a person who types with two fingers.
KEY = 0.25
# Chromium 156 ends with a segmentation fault as a client of Wayland in a sway that has no device for drawing.
FLAGS = """CHROMIUM_FLAGS="$CHROMIUM_FLAGS --no-first-run --password-store=basic --disable-gpu"
[ "$XDG_CURRENT_DESKTOP" != sway ] || CHROMIUM_FLAGS="$CHROMIUM_FLAGS --ozone-platform=x11"
"""


def install():
    """Installs the package, and what the browsers need."""
    subprocess.run(["dpkg", "--install", "/packages/first.deb"], check=True, stdout=subprocess.DEVNULL)
    # Each desktop shows notifications itself, if no other server is there first.
    subprocess.run(["systemctl", "--quiet", "--global", "mask", "mako.service", "dunst.service"], check=True)
    os.remove("/usr/share/dbus-1/services/fr.emersion.mako.service")
    for path, policy in POLICIES.items():
        write(path, json.dumps(policy))
    write("/etc/chromium.d/test", FLAGS)
    # Who ends it by signals asks for no help with what a person would call a crash.
    write("/etc/firefox-esr/test.js", 'pref("toolkit.startup.max_resumed_crashes", -1);\n')
    Pages.server = http.server.ThreadingHTTPServer(("127.0.0.1", 80), Pages)
    threading.Thread(target=Pages.server.serve_forever, daemon=True).start()


# Rules whose programs fail, each in another way, and one whose program never ends by itself.
RULES = """routes:
  - { route: "http://127.0.0.1/missing-:n", public: true, exec: [no-such-browser, "{@url}"], detach: true }
  - { route: "http://127.0.0.1/fails-:n", public: true, exec: [sh, -c, "exit 1"], detach: true }
  - { route: "http://127.0.0.1/slow-:n", public: true, exec: [sh, -c, "sleep 1; exit 1"], detach: true }
  - { route: "http://127.0.0.1/crashes-:n", public: true, exec: [sh, -c, "kill -SEGV $$"], detach: true }
  - { route: "http://127.0.0.1/lasts-:n", public: true, exec: [sh, -c, '%(browser)s "$1"; sleep 600', sh, "{@url}"], detach: true }
"""


class Pages(http.server.BaseHTTPRequestHandler):
    """Pages whose titles are their names, so that the titles of windows show which pages they have."""

    # The names of all pages that browsers have asked for.
    seen = set()

    def do_GET(self):
        name, _, link = self.path.strip("/").partition("?")
        self.seen.add(name)
        body = "<!doctype html><title>page %s.</title><a autofocus href=\"%s\">%s</a>" % (
            name, urllib.parse.unquote(link), name)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def page(name):
    return "http://127.0.0.1/%s" % name


class Uses:
    """The uses, one after the other, in the session of one desktop."""

    def __init__(self, desktop, checks, results):
        self.desktop, self.checks, self.results = desktop, checks, results
        self.failures = 0

    def run(self):
        for example in ("later", "notes", "timer"):
            self.set_up(example)
        self.start_timer()
        self.open_note()
        for browser in BROWSERS:
            self.prefer(browser)
            for way, state in (("open", "cold"), ("open", "warm"), ("pick", "warm")):
                self.read_later(browser, way, state)
                self.restart("later-%s-%s-%s" % (way, browser, state), browser)
            self.click_note(browser)
            self.end(browser)
            self.set_up("links")
            self.break_rules(browser)
            self.open_many(browser)
            self.end(browser)
            path, text = self.offer_to_assistants()
            for way in ("open", "handle", "mcp"):
                for state in ("cold", "warm"):
                    self.choose(browser, way, state)
                self.end(browser)
            # A file that the user has changed would stay.
            write(path, text)
            self.succeed(["xcallback", "remove", "links"])
        self.see_timer()

    def check(self, sentence, holds, detail=""):
        if not self.checks.check("%s: %s" % (self.desktop.name, sentence), holds, detail):
            self.failures += 1
            picture = "/tmp/%s-%d.png" % (self.desktop.name, self.failures)
            self.desktop.picture(picture)
            subprocess.run(["mv", picture, self.results])
        return holds

    def succeed(self, words, **variables):
        result = self.desktop.run(words, **variables)
        self.check("'%s' succeeds" % " ".join(words), result.returncode == 0, result.stdout)
        return result.stdout

    def take_first_minute(self):
        """The README's first minute on a new account, typed into a terminal."""
        # Each prompt tells how the command before it has ended.
        with open(self.desktop.home + "/.bashrc", "a") as file:
            file.write("PROMPT_COMMAND='echo $? >>~/ended'\n")
        terminal = self.desktop.start([TERMINALS[self.desktop.name]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.check("a terminal opens", until(lambda: self.lines("ended"), 60), self.desktop.windows())
        time.sleep(3)
        steps = []
        for command, shown in zip(FIRST_MINUTE + ["xcallback pick todo:/add"], ("", "Water the plants", "", "Buy bread")):
            start = time.monotonic()
            self.desktop.type(command)
            self.desktop.press("Return")
            typed = time.monotonic()
            keys = len(command) + 1
            if "pick" in command:
                # Its two pauses do not count.
                typed += 3
                self.answer_form(shown)
                keys += len(shown) + 2
            number = len(steps) + 1
            ended = until(lambda: self.lines("ended")[number:number + 1], 60, 0.05)
            steps.append((command, time.monotonic() - typed, keys))
            self.check("'%s' succeeds in a terminal" % command, ended == ["0"], "%s after %.1f s" % (ended, time.monotonic() - start))
            self.check("its task is in the list", any(shown in line for line in self.lines("todo.txt")), self.lines("todo.txt"))
        for command, seconds, keys in steps:
            print("      %4.1f s after %2d keys: %s" % (seconds, keys, command), flush=True)
        total = sum(seconds + keys * KEY for _, seconds, keys in steps)
        self.check("the first minute is one", total < 60, "%.0f s" % total)
        print("      the first minute: %.0f s, with %.2f s for each key" % (total, KEY), flush=True)
        terminal.terminate()
        self.desktop.run(["pkill", "--uid", self.desktop.user, TERMINALS[self.desktop.name]])

    def lines(self, name):
        try:
            with open(self.desktop.home + "/" + name) as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def answer_form(self, text):
        """Types a value for 'pick', which asks in the terminal itself, and takes the default of the next one."""
        time.sleep(2)
        self.desktop.type(text)
        self.desktop.press("Return")
        time.sleep(1)
        self.picture("first-minute")
        self.desktop.press("Return")

    def picture(self, name):
        path = "/tmp/%s-%s.png" % (self.desktop.name, name)
        self.desktop.picture(path)
        subprocess.run(["mv", path, self.results])

    def set_up(self, example):
        output = self.succeed(["xcallback", "setup", example, "--yes", "--no-try"])
        # What setup advises where the session gives its display to nobody.
        for line in output.splitlines():
            if line.strip().startswith("now: "):
                self.succeed(["sh", "-c", line.strip().removeprefix("now: ")])

    def prefer(self, browser):
        entry = browser + ".desktop"
        self.succeed(["xdg-mime", "default", entry, "x-scheme-handler/http", "x-scheme-handler/https", "text/html"])

    def process(self, browser):
        """The first process of a browser; empty if it does not run."""
        return self.desktop.run(["pgrep", "--oldest", "--uid", self.desktop.user, "--exact", browser]).stdout.strip()

    def end(self, browser):
        # The first process ends the others: so it leaves a profile as a person does. Firefox misses a signal at times.
        for _ in range(8):
            self.desktop.run(["pkill", "--oldest", "--uid", self.desktop.user, "--exact", browser])
            if until(lambda: not self.process(browser), 15):
                break
        self.check("%s ends" % browser, not self.process(browser), self.process(browser))

    def see_page(self, name, browser, process):
        """Whether a window shows a page, and the browser stays; PROCESS is the one that had to go on."""
        title = self.desktop.window("page %s." % name)
        self.check("a window shows %s" % name, title, "\n".join(self.desktop.windows()))
        # The program of the route has ended long before.
        time.sleep(2)
        remains = self.desktop.window("page %s." % name, 1) and self.process(browser)
        self.check("it stays", remains and process in ("", remains), "%s, before %s" % (remains, process))

    def read_later(self, browser, way, state):
        process = self.process(browser) if state == "warm" else ""
        name = "later-%s-%s-%s" % (way, browser, state)
        # After a new application, the next opener of KDE reads all entries again.
        write("%s/.local/share/applications/%s.desktop" % (self.desktop.home, name),
              "[Desktop Entry]\nType=Application\nName=%s\nExec=true\n" % name)
        self.succeed(["xcallback", "open", "later:/add?title=%s&url=%s" % (name, urllib.parse.quote(page(name), ""))])
        words = ["open", "later:/next"] if way == "open" else ["pick", "--print", "--menu", "grep", "later:/next"]
        output = self.succeed(["xcallback", *words])
        self.check("its answer is the page", output == "title=%s\nurl=%s\n" % (name, page(name)), output)
        self.see_page(name, browser, process)

    def choose(self, browser, way, state):
        """Opens a page by the rules of the example 'links'."""
        process = self.process(browser) if state == "warm" else ""
        name = "links-%s-%s-%s" % (way, browser, state)
        if way == "open":
            self.succeed(["xcallback", "open", page(name)])
        elif way == "handle":
            self.succeed(["xdg-open", page(name)])
        else:
            reply = self.ask_assistant("Opens a page.", link=page(name).removeprefix("http://").split("/"))
            self.check("the tool of an assistant succeeds", reply and not reply.get("isError"), reply)
        self.see_page(name, browser, process)

    def restart(self, name, browser):
        """Restarts the daemon while a browser runs that a program of it has started."""
        process = self.process(browser)
        self.succeed(["systemctl", "--user", "restart", "xcallbackd.service"])
        time.sleep(1)
        remains = self.process(browser)
        self.check("%s outlives the daemon" % browser, remains and remains == process, "%s, before %s" % (remains, process))
        self.check("%s is still shown" % name, self.desktop.window("page %s." % name, 5))

    def break_rules(self, browser):
        """Opens pages by rules whose programs fail: the remembered browser opens each."""
        path = self.desktop.home + "/.config/xcallbackd/routes.d/broken.yaml"
        write(path, RULES % {"browser": browser})
        self.succeed(["xcallback", "reload"])
        for rule in ("missing", "fails", "slow", "crashes", "lasts"):
            name = "%s-%s" % (rule, browser)
            self.succeed(["xdg-open", page(name)])
            self.see_page(name, browser, "")
        os.remove(path)
        self.succeed(["xcallback", "reload"])

    def open_many(self, browser):
        """Clicks forty links at once; a window shows only the last of its pages."""
        names = {"many-%s-%d" % (browser, number) for number in range(40)}
        for opening in [self.desktop.start(["xdg-open", page(name)], stderr=subprocess.DEVNULL) for name in names]:
            opening.wait(120)
        self.check("forty links at once all open", until(lambda: names <= Pages.seen, 60), names - Pages.seen)

    def offer_to_assistants(self):
        """Makes the last rule a tool; returns the path of the rules, and their text before."""
        path = self.desktop.home + "/.config/xcallbackd/routes.d/links.yaml"
        with open(path) as file:
            text = file.read()
        title = "    title: Open a page without encryption\n"
        write(path, text.replace(title, title + "    agent: true\n    description: Opens a page.\n    effect: read\n"))
        self.succeed(["xcallback", "reload"])
        return path, text

    def ask_assistant(self, description, **arguments):
        """Calls the tool with a description as a client of an assistant does; returns the result, if there is one."""
        process = self.desktop.start(["xcallback", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        numbers = iter(range(1, 9))

        def ask(method, **parameters):
            number = next(numbers)
            process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}) + "\n")
            process.stdin.flush()
            while (reply := json.loads(process.stdout.readline())).get("id") != number:
                pass
            return reply.get("result", {})

        ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "test", "version": "1"})
        tools = ask("tools/list").get("tools", [])
        names = [tool["name"] for tool in tools if description in tool["description"]]
        reply = ask("tools/call", name=names[0], arguments=arguments) if names else tools
        process.stdin.close()
        process.wait(20)
        return reply

    def answer_yes(self):
        """Answers the question of 'notes' with keys, once early answers count."""
        title = self.desktop.window("Write a new note")
        self.check("a question is asked", title, "\n".join(self.desktop.windows()))
        time.sleep(4)
        has_kdialog = self.desktop.run(["pgrep", "--uid", self.desktop.user, "kdialog"]).stdout
        tree = self.desktop.run(["python3", "/checks/tree.py", "kdialog" if has_kdialog else "zenity"]).stdout
        self.check("a screen reader reads the question, and No has the focus",
                   "Add the note" in tree and "'Yes'" in tree and "'No' (focus)" in tree.replace("&", ""), tree)
        self.desktop.press("Down" if has_kdialog else "Right", "Return")

    def see_note(self, title):
        path = "%s/Notes/%s.md" % (self.desktop.home, title)
        self.check("the note is there", until(lambda: os.path.exists(path), 20))

    def open_note(self):
        opening = self.desktop.start(["xdg-open", "notes:/new?title=Cold&text=a"], stderr=subprocess.DEVNULL)
        self.answer_yes()
        self.see_note("Cold")
        opening.wait(30)

    def click_note(self, browser):
        name = "notes-%s" % browser
        # Its entry is how a person starts it.
        self.desktop.run(["xdg-open", page("%s?%s" % (name, urllib.parse.quote("notes:/new?title=%s&text=b" % browser, "")))])
        self.see_page(name, browser, self.process(browser))
        # The link has the focus some time after the page is shown.
        for _ in range(4):
            self.desktop.press("Return")
            if self.desktop.window("Write a new note", 10):
                break
        self.answer_yes()
        self.see_note(browser)

    def start_timer(self):
        self.notifications = "/tmp/notifications-" + self.desktop.user
        with open(self.notifications, "w") as file:
            self.monitor = self.desktop.start(
                ["busctl", "--user", "--json=short", "--match=interface=org.freedesktop.Notifications,member=Notify",
                 "monitor"], stdout=file, stderr=subprocess.DEVNULL)
        self.succeed(["xcallback", "open", "timer:/start", "--param", "name=tea", "--param", "minutes=1"])

    def see_timer(self):
        def is_shown():
            with open(self.notifications) as file:
                return "The time is up." in file.read()
        self.check("a notification says that the time is up", until(is_shown, 90))
        self.monitor.terminate()
        self.monitor.wait()
