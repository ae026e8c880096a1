"""The parts of the test, one after the other, in one home."""
import answers
import chromium
import login
import openers
import pages
from checks import Checks
from home import Home
from session import Display
from table import Table

PARTS = {"openers": openers.run, "answers": answers.run, "chromium": chromium.run, "pages": pages.run,
         "login": login.run}


class Test:
    """What the parts share."""

    def __init__(self):
        self.checks = Checks()
        self.table = Table()
        self.home = Home()
        self.display = Display(self.home)


def run(names):
    """Runs parts, and returns the exit status."""
    test = Test()
    for name in names:
        print("\n%s:" % name.capitalize())
        PARTS[name](test)
    if test.table.rows:
        print("\n%s\n" % test.table)
    return test.checks.end()
