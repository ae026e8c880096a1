"""Keys bound to 'xcallback pick' on a real desktop: the menu, the answer, and each way to fail, as the screen shows them."""
import json
import os
import re
import subprocess
import time

from desktops import until, write

PAGE = "/usr/share/doc/xcallbackd/Docs/HowTo/PagesKeysAndMenus.md"
ALL = ["fuzzel", "wofi", "bemenu", "rofi", "dmenu", "zenity", "kdialog"]
# The menus that show something on a desktop. Each wtype is a new keyboard with a map of its own, of which a client of X11, such as
# rofi before version 2, keeps the one before: so rofi is tried where keys come from X11.
MENUS = {"gnome": ["zenity", "kdialog", "wofi", "rofi"], "plasma": ["kdialog", "zenity"], "sway": ["fuzzel", "wofi", "bemenu", "zenity"],
         "openbox": ["rofi", "dmenu", "zenity", "kdialog"]}
# What a person types to find a title.
TITLES = {"quoted": "quoted \"it's\" a\\n", "piped": "piped a|b|c", "tagged": "tagged <b>bold</b> &amp; 50 % _x",
          "right": "right \u05e9\u05dc\u05d5\u05dd", "wide": "wide " + "\u6f22" * 75}
ROUTES = """schemes: [menu]
routes:
  - { route: "menu:/hello", title: Hello to someone, input: { name: { description: 'Who & <b>why</b>' } },
      respond: { text: "Hello {name}" } }
  - { route: "menu:/fails", title: Fail loudly, exec: [sh, -c, "echo it broke >&2; exit 3"] }
  - { route: "menu:/long", title: Longest answer, exec: [seq, "100"] }
  - { route: "menu:/hidden", title: Hidden action, policies: [{ executable: /usr/bin/true }], respond: }
"""
# Types on a terminal of its own, each text once something was drawn and then nothing more for two seconds.
TERMINAL = """if 1:
    import os, pty, select
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm")
        os.execv("/usr/bin/xcallback", ["xcallback", "pick"])
    for text in b"hello\\r", b"ada\\r", b"":
        seconds = 30
        while select.select([terminal], [], [], seconds)[0]:
            try:
                shown = os.read(terminal, 65536)
            except OSError:
                raise SystemExit
            os.write(1, shown)
            # The answer may take its time.
            seconds = 2 if text else 30
        os.write(terminal, text)
"""


class Menus:
    def __init__(self, uses):
        self.uses, self.desktop, self.check = uses, uses.desktop, uses.check
        self.path = "/tmp/menus-" + self.desktop.user
        self.seen = 0
        self.routes = self.desktop.home + "/.config/xcallbackd/routes.d/menu.yaml"

    def run(self):
        self.write_routes()
        self.watch()
        if self.desktop.name == "gnome":
            with open(PAGE) as file:
                commands = re.search("```sh\n#!/bin/sh\n(keys=.*?)```", file.read(), re.S)[1]
            for words in (("x'", "pick'", "/actions/"), ("z'", "pick menu:/hello'", "/hello/")):
                self.uses.succeed(["sh", "-ec", commands.replace("x'", words[0]).replace("pick'", words[1])
                                   .replace("/actions/", words[2])])
            time.sleep(5)
        for menu in MENUS[self.desktop.name]:
            with Only(menu):
                self.choose(menu)
        first = MENUS[self.desktop.name][0]
        with Only(first):
            self.ask(first)
            self.choose_titles(first)
            self.choose_among_many(first)
        self.see_long_answer(first)
        self.choose(None)
        self.use_terminal()
        self.fail(first)
        self.end()

    def watch(self):
        """Keeps the notifications that are shown from now on."""
        with open(self.path, "w") as file:
            self.monitor = self.desktop.start(
                ["busctl", "--user", "--json=short", "--match=interface=org.freedesktop.Notifications,member=Notify", "monitor"],
                stdout=file, stderr=subprocess.DEVNULL)
        until(lambda: self.desktop.run(["notify-send", "first"]) and "first" in self.shown(), 20, 1)
        self.seen = self.count

    def end(self):
        self.monitor.terminate()
        self.monitor.wait()
        os.remove(self.routes)
        self.uses.succeed(["xcallback", "reload"])

    def write_routes(self, count=0):
        rows = list(TITLES.items())
        rows += [("number%d" % number, "number%d %s" % (number, "\u6f22" * 68)) for number in range(count)]
        texts = ["  - { route: \"menu:/%s\", title: %s, respond: { text: \"got %s\" } }\n" % (word, json.dumps(title), word)
                 for word, title in rows]
        write(self.routes, ROUTES + "".join(texts[:500]))
        for start in range(500, len(texts), 500):
            write("%s-%d.yaml" % (self.routes[:-5], start), "schemes: [menu]\nroutes:\n" + "".join(texts[start:start + 500]))
        self.uses.succeed(["xcallback", "reload"])

    def shown(self):
        """What the last notifications have shown: the title and the text of each."""
        with open(self.path) as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        self.count = len(lines)
        return "\n".join("%s: %s" % tuple(line["payload"]["data"][3:5]) for line in lines[self.seen:])

    def see(self, what, text, title=""):
        found = until(lambda: text in self.shown(), 30)
        self.check("%s: a notification has '%s'" % (what, text), found, self.shown()[-600:])
        if self.desktop.notifier and title:
            def is_drawn():
                self.desktop.press("Shift_L")
                return title in self.desktop.run(["python3", "/checks/tree.py", self.desktop.notifier]).stdout
            self.check("%s: the screen shows it" % what, until(is_drawn, 30))
        # In GNOME, a second call passes it on.
        time.sleep(2)
        self.shown()
        self.seen = self.count

    def menu(self):
        """The menu that is shown, if one is."""
        for menu in ALL:
            found = self.desktop.run(["pgrep", "--uid", self.desktop.user, "--exact", menu]).stdout.split()
            if found:
                return menu, found[0]
        return None

    def see_menu(self, menu, after=None):
        """Waits until a menu is shown, after another one; returns it."""
        def find():
            found = self.menu()
            return found if found and found != after and menu in (None, found[0]) else None
        self.check("%s is shown" % (menu or "a menu"), until(find, 30), self.menu())
        time.sleep(4)
        # The one before it can have failed.
        return self.menu()

    def type(self, text):
        self.desktop.press(*text, "Return")

    def tree(self, menu):
        return self.desktop.run(["python3", "/checks/tree.py", menu]).stdout

    def read(self, program, what, text):
        found = until(lambda: text in self.tree(program).replace("&&", "&"), 30)
        self.check("%s: a screen reader reads %s" % (program, what), found, self.tree(program))

    def choose(self, menu):
        """Chooses an action in the menu of a key, and gives it a value."""
        self.desktop.press("super+x")
        found = self.see_menu(menu)
        name = found[0] if found else "none"
        picture = "/tmp/menu-%s-%s.png" % (self.desktop.name, name)
        self.desktop.picture(picture)
        subprocess.run(["mv", picture, self.uses.results])
        if name in ("zenity", "kdialog"):
            self.read(name, "the actions that can run", "Hello to someone (menu:/hello)")
            self.check("%s: no action that cannot run is read" % name, "Hidden" not in self.tree(name))
        self.type("hello")
        found = self.see_menu(menu, found)
        if name in ("zenity", "kdialog"):
            self.read(name, "what is asked", "name: Who & <b>why</b>")
        self.type("ada")
        self.see(name, "Hello to someone: Hello ada", "Hello to someone")
        self.desktop.press("super+x")
        self.see_menu(menu)
        self.type("fail")
        self.see(name, "Fail loudly: it broke (3)", "Fail loudly")
        self.desktop.press("super+x")
        self.see_menu(menu)
        self.desktop.press("Escape")
        self.check("%s: Escape closes it, and no other one comes" % name, until(lambda: not self.menu(), 10), self.menu())
        time.sleep(2)
        self.check("%s: nothing is shown then" % name, not self.menu() and not self.shown(), (self.menu(), self.shown()))

    def ask(self, menu):
        self.desktop.press("super+z")
        self.see_menu(menu)
        self.type("bob")
        self.see("a key for one action", "Hello to someone: Hello bob", "Hello to someone")

    def choose_titles(self, menu):
        for word in TITLES:
            self.desktop.press("super+x")
            self.see_menu(menu)
            self.type(word)
            self.see("a title that is %s" % word, "got " + word)

    def see_long_answer(self, menu):
        viewer = "kdialog" if self.desktop.name == "plasma" else "zenity"
        with Only(menu, viewer):
            self.desktop.press("super+x")
            found = self.see_menu(menu)
            self.type("longest")
            self.see_menu(viewer, found)
            self.read(viewer, "the end of a long answer", "100")
            self.desktop.press("Escape")
            until(lambda: not self.menu(), 10)

    def choose_among_many(self, menu):
        for count in (300, 3000):
            self.write_routes(count)
            self.desktop.press("super+x")
            self.see_menu(menu)
            time.sleep(4)
            self.type("number%d" % (count - 1))
            self.see("%d actions" % count, "got number%d" % (count - 1))
        self.desktop.run(["sh", "-c", "rm ~/.config/xcallbackd/routes.d/menu-*.yaml"])
        self.write_routes()

    def use_terminal(self):
        """The menus of a terminal: a list with numbers, and fzf."""
        for name, path in (("fzf", "/usr/bin"), ("the list", "/empty")):
            output = self.desktop.run(["env", "PATH=" + path, "/usr/bin/python3", "-c", TERMINAL]).stdout
            self.check("%s in a terminal is a menu" % name, "text=Hello ada" in output, output)

    def fail(self, menu):
        with Only(menu):
            self.desktop.run(["systemd-run", "--user", "--quiet", "--collect", "env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY",
                              "xcallback", "pick"])
            self.see("no display", "there is no display for a menu", "xcallback pick")
        with Only():
            self.desktop.press("super+x")
            self.see("no menu", "no menu program is installed", "xcallback pick")
            self.check("the doctor names the menu that is missing", "for 'pick', no menu" in self.desktop.run(["xcallback", "doctor"]).stdout)
        with Only(menu):
            text = self.desktop.run(["xcallback", "doctor"]).stdout
            self.check("the doctor names the menu", "'xcallback pick' shows '%s" % menu in text, text)
        broken = self.desktop.home + "/.config/xcallbackd/config.yaml"
        kept = open(broken).read() if os.path.exists(broken) else None
        write(broken, "routes: nonsense\n")
        self.desktop.run(["systemctl", "--user", "restart", "xcallbackd.service"])
        self.desktop.press("super+x")
        self.see("a broken configuration", "run 'xcallback doctor'", "xcallback pick")
        os.remove(broken) if kept is None else write(broken, kept)
        self.desktop.run(["systemctl", "--user", "stop", "xcallbackd.socket", "xcallbackd.service"])
        self.desktop.press("super+x")
        self.see("no daemon", "xcallback pick: cannot reach", "xcallback pick")
        self.desktop.run(["systemctl", "--user", "reset-failed"])
        self.uses.succeed(["systemctl", "--user", "start", "xcallbackd.socket"])


class Only:
    """The only menus that are installed."""

    def __init__(self, *names):
        self.paths = ["/usr/bin/" + name for name in ALL if name not in names]

    def __enter__(self):
        self.away = [path for path in self.paths if os.path.exists(path)]
        for path in self.away:
            os.rename(path, path + ".menu")

    def __exit__(self, *_):
        for path in self.away:
            os.rename(path + ".menu", path)
