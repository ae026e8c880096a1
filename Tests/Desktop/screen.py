"""A screen with a window manager, whose picture is read from its memory, and a hand that clicks and types."""
import os
import struct
import subprocess
import time

from PIL import Image, ImageChops

from apng import Film

WINDOW = ["Absolute upper-left X", "Absolute upper-left Y", "Width", "Height"]
STILL = 0.4  # seconds without a change, after which a program has drawn what it draws
STEPS = 9    # frames of a way of the pointer


class Screen:
    """The screen, and the film of it."""

    def __init__(self, folder, size, environment):
        self.size, self.folder = size, folder
        self.film = Film()
        self.place = (size[0] * 3 // 4, size[1] * 2 // 5)
        self.processes = []
        reader, writer = os.pipe()
        self.processes.append(subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "%dx%dx24" % size, "-nolisten", "tcp", "-noreset",
             "-fbdir", folder], pass_fds=[writer], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        os.close(writer)
        with os.fdopen(reader) as pipe:
            self.environment = {**environment, "DISPLAY": ":" + pipe.readline().strip()}
        self.start(["openbox"])
        self.run(["xdotool", "mousemove", *map(str, self.place)])

    def start(self, words, **variables):
        log = open(os.path.join(self.folder, os.path.basename(words[0]) + ".log"), "w")
        process = subprocess.Popen(words, env={**self.environment, **variables}, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log, cwd=self.environment["HOME"])
        self.processes.append(process)
        return process

    def run(self, words):
        return subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=30).stdout

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait(20)

    def window(self, *words, limit=60):
        """The place and size of the newest window that 'xdotool search' finds."""
        end = time.monotonic() + limit
        while True:
            names = self.run(["xdotool", "search", "--onlyvisible", *words]).split()
            if names:
                lines = self.run(["xwininfo", "-id", names[-1]]).splitlines()
                values = dict(line.strip().rsplit(": ", 1) for line in lines if ": " in line)
                return [int(values[name]) for name in WINDOW]
            if time.monotonic() > end:
                raise SystemExit("there is no window: " + " ".join(words))
            time.sleep(0.1)

    def picture(self):
        """The screen as it is, with the pointer: what Xvfb keeps in its file, a dump of a window."""
        with open(os.path.join(self.folder, "Xvfb_screen0"), "rb") as file:
            data = file.read()
        header = struct.unpack(">25I", data[:100])
        start, width, height, row = header[0] + header[19] * 12, header[4], header[5], header[12]
        return Image.frombuffer("RGB", (width, height), data[start:], "raw", "BGRX", row, 1)

    def settle(self, limit=20):
        """Waits until nothing changes any more, and returns the picture."""
        last, since, end = self.picture().tobytes(), time.monotonic(), time.monotonic() + limit
        while time.monotonic() < min(since + STILL, end):
            time.sleep(0.05)
            now = self.picture().tobytes()
            if now != last:
                last, since = now, time.monotonic()
        return self.picture()

    def hold(self, seconds, picture=None):
        """Shows the screen, or a picture of it, for a time."""
        self.film.add(picture or self.settle(), seconds)

    def find(self, color):
        """The middle of everything on the screen that has a color; None if nothing has it."""
        picture = self.picture()
        different = ImageChops.difference(picture, Image.new("RGB", picture.size, color)).convert("L")
        box = different.point(lambda value: 255 * (value == 0)).getbbox()
        return box and ((box[0] + box[2]) // 2, (box[1] + box[3]) // 2)

    def move(self, x, y, seconds):
        """Moves the pointer, slower at both ends."""
        (left, top), steps = self.place, STEPS
        for step in range(1, steps + 1):
            share = step / steps
            share = share * share * (3 - 2 * share)
            self.place = (round(left + (x - left) * share), round(top + (y - top) * share))
            self.run(["xdotool", "mousemove", *map(str, self.place)])
            self.hold(seconds / steps, self.settle() if step == steps else self.picture())

    def click(self):
        self.run(["xdotool", "click", "1"])

    def type(self, text, seconds):
        """Types a line, and shows each letter."""
        for letter in text:
            self.run(["xdotool", "type", "--delay", "0", letter])
            time.sleep(0.05)
            self.hold(seconds / len(text), self.picture())
        self.settle()
        self.hold(0.3)
        self.run(["xdotool", "key", "Return"])
