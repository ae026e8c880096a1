"""Prints the accessible tree of a program, as a screen reader gets it: roles, names, and what has the focus."""
import sys

import pyatspi


def show(element, depth):
    focus = " (focus)" if element.getState().contains(pyatspi.STATE_FOCUSED) else ""
    print("%s%s %r%s" % ("  " * depth, element.getRoleName(), element.name, focus))
    for child in element:
        if child is not None and child.getState().contains(pyatspi.STATE_SHOWING):
            show(child, depth + 1)


for program in pyatspi.Registry.getDesktop(0):
    if program is not None and sys.argv[1] in program.name:
        show(program, 0)
