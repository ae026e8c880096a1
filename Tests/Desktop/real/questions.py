"""The questions of routes on a real desktop, if neither zenity nor kdialog is installed."""
import json
import os
import subprocess
import time

from desktops import until, write

DIALOGS = ["/usr/bin/zenity", "/usr/bin/kdialog"]
QUESTION = "Are you sure?"
ROUTES = """schemes: [sure]
routes:
  - { route: "sure:/soon", policies: [{ confirm: { text: "%s", timeout: 15s } }], respond: }
  - route: sure:/now
    description: Asks.
    agent: true
    effect: add
    policies: [{ confirm: "%s" }]
    respond:
""" % (QUESTION, QUESTION)
# Exit statuses of 'xcallback open'.
SUCCESS, ERROR, CANCEL, TIMEOUT = 0, 1, 3, 4
HELP = "install zenity or kdialog"


class Questions:
    def __init__(self, uses):
        self.uses, self.desktop, self.check = uses, uses.desktop, uses.check
        self.path = "/tmp/questions-" + self.desktop.user

    def run(self):
        write(self.desktop.home + "/.config/xcallbackd/routes.d/sure.yaml", ROUTES)
        self.uses.succeed(["xcallback", "reload"])
        for path in DIALOGS:
            os.rename(path, path + ".away")
        with open(self.path, "w") as file:
            monitor = self.desktop.start(
                ["busctl", "--user", "--json=short", "--match=interface=org.freedesktop.Notifications", "monitor"],
                stdout=file, stderr=subprocess.DEVNULL)
        self.notify("first")
        self.refuse()
        if self.desktop.notifier:
            self.answer()
            self.answer_early()
            self.leave()
        monitor.terminate()
        monitor.wait()
        for path in DIALOGS:
            os.rename(path + ".away", path)

    def messages(self, member):
        """The values of the calls and signals of the notification server so far."""
        with open(self.path) as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        return [line["payload"]["data"] for line in lines if line["member"] == member]

    def closed(self):
        return {data[0] for data in self.messages("NotificationClosed")}

    def notify(self, title):
        """Sends notifications until one is seen on the bus: so is each one before it."""
        def is_seen():
            self.desktop.run(["notify-send", "--urgency=low", title])
            return any(data[3] == title for data in self.messages("Notify"))
        self.check("the bus is read", until(is_seen, 20, 1))

    def refuse(self):
        """An assistant's request is never asked about; no request is where nobody sees buttons."""
        reply = self.uses.ask_assistant("Asks.")
        self.check("an assistant gets an error", reply and reply.get("isError") and HELP in str(reply), reply)
        loss = "nobody can answer the question of sure:/now for an assistant (503)"
        if not self.desktop.notifier:
            loss = "nobody can answer the question of "
            result = self.desktop.run(["xcallback", "open", "sure:/now"])
            self.check("a question is a 503", result.returncode == ERROR and HELP + ". (503, " in result.stdout, result)
        self.notify("second")
        self.check("nothing was shown", QUESTION not in str(self.messages("Notify")), self.messages("Notify"))
        result = self.desktop.run(["xcallback", "doctor"])
        text = " ".join(result.stdout.split())
        self.check("the doctor has a fault", result.returncode == 1 and loss in text, result.stdout)

    def is_shown(self):
        # Plasma's tree has the title, and not the text.
        return "sure:/" in self.desktop.run(["python3", "/checks/tree.py", self.desktop.notifier]).stdout

    def ask(self, action="now"):
        self.before = self.closed()
        return self.desktop.start(["xcallback", "open", "sure:/" + action], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def see(self):
        def is_seen():
            # GNOME shows the next notification after a person has done something.
            self.desktop.press("Shift_L")
            return self.is_shown()
        self.check("a notification asks", until(is_seen, 60))

    def see_end(self, what, opening, statuses):
        output, _ = opening.communicate(timeout=60)
        self.check("%s ends the question" % what, opening.returncode in statuses, (opening.returncode, output))
        self.check("its notification is gone", until(lambda: not self.is_shown() and self.closed() - self.before, 20),
                   self.closed())

    def answer(self):
        for button, status in (("Yes", SUCCESS), ("No", CANCEL)):
            opening = self.ask()
            self.see()
            # Once early answers count.
            time.sleep(4)
            self.desktop.press_button(button)
            self.see_end(button, opening, [status])

    def answer_early(self):
        # On a slow machine, an answer can be too late to be early: then it counts, and another is tried.
        for _ in range(5):
            opening = self.ask()
            self.desktop.press_button("Yes")
            until(lambda: self.closed() - self.before, 10)
            time.sleep(2)
            if opening.poll() is None:
                break
        self.check("an early Yes is no answer", opening.poll() is None and self.closed() - self.before, self.closed())
        self.see()
        time.sleep(4)
        self.before = self.closed()
        self.desktop.press_button("Yes")
        self.see_end("a later Yes", opening, [SUCCESS])

    def interrupt(self):
        self.uses.succeed(["pkill", "-INT", "--uid", self.desktop.user, "--full", "^xcallback open"])

    def leave(self):
        """Ends the request or the daemon while a question is shown."""
        unit = ["systemctl", "--user", "--kill-whom=main", "--signal=KILL"]
        ways = {
            "a timeout": ("soon", lambda: None, [TIMEOUT]),
            "SIGINT": ("now", self.interrupt, [-2, 128 + 2]),
            "a restart": ("now", lambda: self.uses.succeed(["systemctl", "--user", "restart", "xcallbackd"]), range(1, 8)),
            "a crash": ("now", lambda: self.uses.succeed([*unit, "kill", "xcallbackd"]), range(1, 8)),
        }
        for name, (action, end, statuses) in ways.items():
            opening = self.ask(action)
            self.see()
            end()
            self.see_end(name, opening, statuses)
