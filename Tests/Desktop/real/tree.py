"""Prints the accessible tree of a program, as a screen reader gets it: roles, names, and what has the focus.

    tree.py PROGRAM [BUTTON]

A button is pressed as soon as it is shown, if the tree can do that; if not, only its place is printed.
"""
import sys
import time

import pyatspi


def shown(element, depth=0):
    yield element, depth
    for child in element:
        if child is not None and child.getState().contains(pyatspi.STATE_SHOWING):
            yield from shown(child, depth + 1)


def programs():
    return [program for program in pyatspi.Registry.getDesktop(0) if program is not None and sys.argv[1] in program.name]


def find(name):
    for program in programs():
        for element, _ in shown(program):
            if element.name == name and "button" in element.getRoleName():
                return element
    return None


def text_of(element):
    try:
        return element.queryText().getText(0, -1)
    except NotImplementedError:
        return ""


def press(button):
    try:
        action = button.queryAction()
    except NotImplementedError:
        action = None
    if action and action.nActions:
        action.doAction(0)
    else:
        place = button.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        print(place.x + place.width // 2, place.y + place.height // 2)


if len(sys.argv) > 2:
    end = time.monotonic() + 20
    while not (button := find(sys.argv[2])) and time.monotonic() < end:
        time.sleep(0.1)
    if button:
        press(button)
else:
    for program in programs():
        for element, depth in shown(program):
            text = " ".join(dict.fromkeys(part for part in (element.name, text_of(element)) if part))
            focus = " (focus)" if element.getState().contains(pyatspi.STATE_FOCUSED) else ""
            print("%s%s %r%s" % ("  " * depth, element.getRoleName(), text, focus))
