#!/usr/bin/python3
"""A stand-in for a desktop's notification server, which draws nothing: it tells on standard output what it is asked for.

Usage: notifications.py NAME

NAME is what it calls itself. Each line of standard input presses a button (`press ID KEY`), closes a notification like a
person (`dismiss ID`), or lets the next ones be refused (`refuse COUNT`). As in GNOME, only the connection that has sent a
notification can renew or close it.
"""
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib

NAME = "org.freedesktop.Notifications"
PATH = "/" + NAME.replace(".", "/")
INTERFACE = """<node><interface name="org.freedesktop.Notifications">
<method name="GetCapabilities"><arg direction="out" type="as"/></method>
<method name="GetServerInformation"><arg direction="out" type="s"/><arg direction="out" type="s"/>
<arg direction="out" type="s"/><arg direction="out" type="s"/></method>
<method name="Notify"><arg direction="in" type="s"/><arg direction="in" type="u"/><arg direction="in" type="s"/>
<arg direction="in" type="s"/><arg direction="in" type="s"/><arg direction="in" type="as"/>
<arg direction="in" type="a{sv}"/><arg direction="in" type="i"/><arg direction="out" type="u"/></method>
<method name="CloseNotification"><arg direction="in" type="u"/></method>
</interface></node>"""


class Server:
    def __init__(self, name):
        self.name, self.senders, self.last, self.refusals = name, {}, 0, 0

    def call(self, connection, sender, path, interface, method, parameters, invocation):
        values = parameters.unpack()
        reply = None
        if method == "GetCapabilities":
            reply = GLib.Variant("(as)", (["actions", "body", "body-markup"],))
        elif method == "GetServerInformation":
            reply = GLib.Variant("(ssss)", (self.name, "a stand-in", "1", "1.2"))
        elif method == "Notify" and self.refusals > 0:
            self.refusals -= 1
            print("too-many", flush=True)
            return invocation.return_dbus_error(NAME + ".Error.ExcessNotificationGeneration", "Too many")
        elif method == "Notify":
            number = values[1]
            if number == 0 or self.senders.get(number) != sender:
                self.last += 1
                number = self.last
            self.senders[number] = sender
            print("shown", number, sender, " ".join(values[5]), repr(values[4]), flush=True)
            reply = GLib.Variant("(u)", (number,))
        elif self.senders.get(values[0]) != sender:
            print("refused", values[0], sender, flush=True)
            return invocation.return_dbus_error("org.freedesktop.DBus.Error.InvalidArgs", "Invalid notification ID")
        else:
            self.close(values[0], 3)
        invocation.return_value(reply)

    def close(self, number, reason):
        sender = self.senders.pop(number)
        print("closed", number, flush=True)
        self.connection.emit_signal(sender, PATH, NAME, "NotificationClosed", GLib.Variant("(uu)", (number, reason)))

    def command(self, source, condition):
        words = sys.stdin.readline().split()
        if not words:
            self.loop.quit()
            return False
        number = int(words[1])
        if words[0] == "refuse":
            self.refusals = number
            return True
        if words[0] == "press":
            values = GLib.Variant("(us)", (number, words[2]))
            self.connection.emit_signal(self.senders[number], PATH, NAME, "ActionInvoked", values)
        self.close(number, 2)
        return True

    def run(self):
        self.loop = GLib.MainLoop()
        self.connection = Gio.bus_get_sync(Gio.BusType.SESSION)
        interface = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0]
        self.connection.register_object(PATH, interface, self.call, None, None)
        Gio.bus_own_name_on_connection(self.connection, NAME, 0, lambda *_: print("ready", flush=True), None)
        GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, self.command)
        self.loop.run()


Server(sys.argv[1]).run()
