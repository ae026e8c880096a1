"""Checks, as they are printed and counted."""
import sys


class Checks:
    """Prints a line for each check, and counts those that pass."""

    def __init__(self):
        self.all = 0
        self.passed = 0

    def check(self, sentence, holds, detail=""):
        """Prints whether a sentence holds; if not, also what was found."""
        self.all += 1
        self.passed += bool(holds)
        print("%-7s %s" % ("ok" if holds else "FAILED", sentence))
        if not holds:
            for line in str(detail).splitlines()[:12]:
                print("        " + line[:240])
        sys.stdout.flush()
        return bool(holds)

    def equal(self, sentence, found, expected):
        return self.check(sentence, found == expected, "found    %r\nexpected %r" % (found, expected))

    def figure(self, line):
        """Prints a figure, which is not a check."""
        print("        " + line)
        sys.stdout.flush()

    def end(self):
        print("%d of %d checks passed" % (self.passed, self.all))
        return 0 if self.passed == self.all else 1
