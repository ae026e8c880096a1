"""Facts, as they are printed and counted."""
import sys


class Facts:
    """Prints a line for each fact, and counts those that hold."""

    def __init__(self):
        self.all = 0
        self.held = 0

    def check(self, fact, holds, detail=""):
        """Prints whether a fact holds; if not, also what was found."""
        self.all += 1
        self.held += bool(holds)
        print("%-7s %s" % ("ok" if holds else "FAILED", fact))
        if not holds:
            for line in str(detail).splitlines()[:12]:
                print("        " + line[:240])
        sys.stdout.flush()
        return bool(holds)

    def equal(self, fact, found, expected):
        return self.check(fact, found == expected, "found    %r\nexpected %r" % (found, expected))

    def figure(self, line):
        """Prints a figure, which is no fact."""
        print("        " + line)
        sys.stdout.flush()

    def end(self):
        print("%d of %d facts hold" % (self.held, self.all))
        return 0 if self.held == self.all else 1
