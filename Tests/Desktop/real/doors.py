"""The other doors to an action on a real desktop: a launcher, a form, a link that asks, a file manager, and a notification that
shows progress."""
import hashlib
import os
import subprocess
import time
import urllib.parse

import forms
from desktops import until, write
from menus import Menus, Only

ROUTES = forms.ROUTES + """  - { route: "form:/jam", title: Quince jam, menu: true, input: { jar: { description: Which jar } }, respond: { text: "Jam in {jar}" } }
  - route: form:/count
    title: Count to thirty
    public: true
    progress: true
    timeout: 2m
    notify: All is counted.
    exec: [sh, -c, 'for n in $(seq 30); do echo "[$n/30] step $n" >&2; sleep 1; done; echo counted']
  - { route: form:/sum, title: Checksum, input: { file: file }, exec: [sha256sum, "{file}"] }
"""
MANAGER_SCRIPT = """exec xcallback pick form:/sum --param "file=$1"
"""
SERVICE_MENU = """[Desktop Entry]
Type=Service
MimeType=all/allfiles;
Actions=sum

[Desktop Action sum]
Name=Zsum
Exec=xcallback pick form:/sum --param file=%f
"""
# Each launcher, and the program in whose accessible tree its list stands; some have none.
LAUNCHERS = {
    "gnome": [("overview", "gnome-shell")], "plasma": [("krunner", "krunner")], "sway": [("fuzzel", None), ("wofi", None)],
    "openbox": [("rofi", None)],
}


class Form(forms.Form):
    """A command that asks, and its windows, on a desktop."""

    def __init__(self, session, tool, route):
        self.session, self.last = session, None
        self.process = session.pick(tool, route) if route else None

    def next(self, wait=forms.SETTLED):
        # The tree is surer, and too slow for what must be done at once.
        self.is_shown = self.tree if wait else self.session.has_window
        # A window can be in the tree before it is on the screen.
        return super().next(wait and wait + 2)

    def window(self, after=None):
        def find():
            tool = self.tool()
            return (tool, "") if tool and (tool, "") != after and self.is_shown() else None
        return until(find, 60, 0.05)

    def shot(self, name):
        self.session.picture(name)

    def answer(self):
        try:
            return super().answer()
        except subprocess.TimeoutExpired:
            self.shot("unanswered")
            self.session.desktop.run(["pkill", "--uid", self.session.desktop.user, "--exact", "xcallback"])
            return "it did not end: " + self.tree()


class Doors(Menus):
    form = Form
    hostile = "-\"it's\" a|b % \\n <b>&amp; ~"

    def __init__(self, uses):
        super().__init__(uses)
        self.path = "/tmp/doors-" + self.desktop.user
        self.routes = self.desktop.home + "/.config/xcallbackd/routes.d/form.yaml"
        version = self.desktop.run(["zenity", "--version"]).stdout
        self.is_new = any(line.startswith("4.") for line in version.splitlines())
        self.dialog = "kdialog" if self.desktop.name == "plasma" else "zenity"

    def run(self):
        write(self.routes, ROUTES)
        self.uses.succeed(["sh", "-c", "xcallback check && xcallback reload && xcallback register form"])
        self.watch()
        self.others = set(self.desktop.windows())
        with Only(self.dialog):
            self.fill_in()
            self.ask_for_link()
            self.open_file()
        if self.desktop.name in ("gnome", "plasma"):
            self.use_manager()
        for launcher, program in LAUNCHERS[self.desktop.name]:
            # Debian 12's version 1.8 ends with a segmentation fault as a launcher in this sway, also without any entry.
            if launcher == "fuzzel" and not self.is_new:
                continue
            with Only(self.dialog, launcher):
                self.launch(launcher, program)
        self.see_progress()
        self.end()
        left = self.desktop.run(["sh", "-c", "grep -l form: ~/.local/share/applications/xcallback-*.desktop"]).stdout
        self.check("no entry is left of an action that is gone", not left, left)

    def has_window(self):
        return set(self.desktop.windows()) - self.others

    # What forms.py needs of a screen.

    def pick(self, tool, route):
        return self.desktop.start(
            ["xcallback", "pick", "--print", route], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def tool(self, process=None):
        words = ["pgrep", "--newest", "--uid", self.desktop.user, "--exact", self.dialog]
        return next(iter(self.desktop.run(words).stdout.split()), None)

    def tree(self, program=None):
        return super().tree(program or self.dialog)

    def type(self, text):
        self.desktop.type(text)

    def press(self, *keys):
        self.desktop.press(*keys)

    def press_at_once(self, *keys):
        self.desktop.press_at_once(*keys)

    def shows(self, form):
        return True

    def picture(self, name):
        path = "/tmp/%s-%s.png" % (self.desktop.name, name)
        self.desktop.picture(path)
        subprocess.run(["mv", path, self.uses.results])

    def fill_in(self):
        """A form with all types, a mistake, and what is typed too early."""
        if self.dialog == "zenity":
            forms.zenity(self)
        else:
            self.fill_one_by_one()
        forms.each(self, self.dialog, self.leaving())

    def leaving(self):
        if self.dialog == "kdialog":
            return ["shift+Tab", "Return"]
        return ["ctrl+Tab", "Tab", "Return"] if self.is_new else ["ctrl+Tab", "Return"]

    def fill_one_by_one(self):
        form = Form(self, self.dialog, "form:/all/:id")
        rows = [("id: The number", "10"), ("must be at most 9", None), ("mark", "done"), ("sure", ""), ("day", ""), ("ratio", ""),
                ("tags", "a,b c"), ("link", ""), ("key", "p|w"), ("text", self.hostile)]
        for label, text in rows:
            tree = form.next()
            self.check("kdialog: a screen reader reads '%s'" % label, label in tree.replace("&&", "&"), tree)
            if text is None:
                self.press("ctrl+a", "7")
            else:
                self.type(text)
            self.check("kdialog: a secret is not read", "p|w" not in form.tree())
            self.press("Return")
        answer = form.answer()
        for part in ('"id":7', '"mark":"done"', '"tags":["a","b c"]', '"key":"p|w"', '"text":"-\\"it'):
            self.check("kdialog: the answer has %s" % part, part in answer and "sure" not in answer and "day" not in answer, answer)
        form = Form(self, self.dialog, "form:/choice")
        form.next()
        self.type("number299")
        self.press("Return")
        self.check("kdialog: a typed part selects one of 300 lines", form.answer() == "told=number299\n")
        form = Form(self, self.dialog, "form:/many")
        for _ in range(20):
            form.next()
            self.press("Return")
        self.check("kdialog: 20 values can stay empty", form.answer() == "told=yes\n")

    def ask_for_link(self):
        """A link that lacks a value: nobody who types a sentence sends anything, and its values can be read, not changed."""
        answer = self.desktop.home + "/answer"
        for host in ("vpn.example.org", self.hostile):
            link = self.desktop.start(["xdg-open", "form:/link?host=" + urllib.parse.quote(host)], stderr=subprocess.DEVNULL)
            form = Form(self, self.dialog, None)
            for window in ("the question", "the form"):
                form.next(0)
                self.desktop.press_at_once(*"asentence", "Return")
                time.sleep(forms.SETTLED)
                if form.tool() != form.last[0]:
                    form.next()
                self.check("a sentence sends nothing from %s" % window, self.tool() and not os.path.exists(answer), self.tree())
                tree = self.tree().replace("&&", "&")
                self.check("%s shows what the link says" % window, host[-9:] in tree, tree)
                self.picture("link-%s" % window.split()[1])
                if window == "the question":
                    self.press("Down" if self.dialog == "kdialog" else "Right", "Return")
            if self.dialog == "kdialog":
                self.press("ctrl+a")
                self.type("ann")
                self.press("Return")
                form.next()
                self.press("Return")
            else:
                self.press("ctrl+a")
                self.type("ann")
                self.press("Tab", "Tab", "Tab", "Return")
            written = until(lambda: os.path.exists(answer) and open(answer).read(), 30)
            self.check("the action gets the values of the link and of the form", written == host + "\nann\n1194\n", repr(written))
            link.wait(30)
            os.remove(answer)

    def open_file(self):
        """A file is chosen in a dialog, and given by a file manager."""
        path = self.desktop.home + "/-a 'b' $(c).txt"
        write(path, "text\n")
        form = Form(self, self.dialog, "form:/file")
        self.desktop.window("file")
        time.sleep(8)
        self.picture("file")
        if self.desktop.name == "gnome" and self.is_new:
            # Its files choose for all programs; the file is the first in the home.
            for place in ((475, 270), (1030, 657)):
                self.desktop.click(*place)
                time.sleep(2)
        else:
            self.press(*["ctrl+l"] * (self.dialog == "zenity"), "ctrl+a")
            self.type(path)
            self.press("Return")
        answer = form.answer()
        self.check("a file is chosen", answer == "told=%s\n" % path, answer)

    def use_manager(self):
        """A file manager gives a selected file to an action, as the documents say."""
        folder = self.desktop.home + "/files"
        path = folder + "/a 'b' $(c).txt"
        write(path, "text\n")
        if self.desktop.name == "gnome":
            manager, keys = "nautilus", ["F7"]
            write(self.desktop.home + "/.local/share/nautilus/scripts/Zsum", "#!/bin/sh\n" + MANAGER_SCRIPT, 0o755)
            # The key of a script is a setting of Nautilus.
            write(self.desktop.home + "/.config/nautilus/scripts-accels", "F7 Zsum\n")
        else:
            manager, keys = "dolphin", ["Menu"]
            write(self.desktop.home + "/.local/share/kio/servicemenus/sum.desktop", SERVICE_MENU, 0o755)
        subprocess.run(["chown", "-R", "%s:" % self.desktop.user, folder, self.desktop.home + "/.local", self.desktop.home + "/.config"], check=True)
        process = self.desktop.start([manager, "--select", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.check("%s shows the folder" % manager, self.desktop.window("files"), self.desktop.windows())
        time.sleep(5)
        self.press(*keys)
        time.sleep(3)
        self.picture(manager)
        if manager == "dolphin":
            # The letter chooses it in the menu, which is not in the tree.
            self.press("z")
        self.see(manager, "Checksum: %s" % hashlib.sha256(b"text\n").hexdigest(), "Checksum")
        process.terminate()

    def launch(self, launcher, program):
        """Three letters, the action, its value, its answer."""
        start, found = time.monotonic(), None
        if launcher == "overview":
            self.press("super")
            time.sleep(2)
        elif launcher == "krunner":
            self.uses.succeed(["busctl", "--user", "call", "org.kde.krunner", "/App", "org.kde.krunner.App", "display"])
            time.sleep(3)
        else:
            words = {"fuzzel": ["fuzzel"], "wofi": ["wofi", "--show", "drun"], "rofi": ["rofi", "-show", "drun"]}[launcher]
            self.desktop.start(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            found = self.see_menu(launcher)
        self.type("qui")
        time.sleep(3)
        self.picture("launcher-" + launcher)
        if program:
            self.read(program, "the title of an action in %s" % launcher, "Quince jam")
        self.press("Return")
        # Programs that are launchers are menus, too.
        self.see_menu(launcher if found else self.dialog, found)
        self.type("seven")
        self.press("Return")
        self.see("an action from %s" % launcher, "Quince jam: Jam in seven", "Quince jam")
        print("      %s: %.0f s with all pauses" % (launcher, time.monotonic() - start), flush=True)

    def see_progress(self):
        """A click on a link that takes long: how far it is, and Cancel."""
        for presses in (True, False):
            link = self.desktop.start(["xdg-open", "form:/count"], stderr=subprocess.DEVNULL)
            found = until(lambda: "step 6" in self.shown(), 40)
            # The command that a click starts knows the scheme, and not the action.
            self.check("a notification shows progress", found and "form: 6 of 30: step 6" in self.shown(), self.shown())
            if presses and self.desktop.notifier:
                self.picture("progress")
                # Plasma's tree has the title, and not the text.
                text = "'form'" if self.desktop.name == "plasma" else "of 30: step"
                self.check("the screen shows it", until(lambda: text in self.tree(self.desktop.notifier), 15))
                self.desktop.expand_notification()
                self.desktop.press_button("Cancel")
                ended = until(lambda: not self.desktop.run(["pgrep", "--uid", self.desktop.user, "--full", "seq 30"]).stdout, 20)
                last = self.desktop.run(["xcallback", "history"]).stdout
                self.check("its button cancels the action", ended and "cancel" in last, last)
            else:
                self.see("an action that takes long", "All is counted.", "")
            link.wait(60)
            self.seen = self.count
