"""What is known of the openers of Debian 12: how they hand URLs over, in the sessions that they know."""
import collections

CALLER = {"XDG_ACTIVATION_TOKEN": "token-of-the-caller", "DESKTOP_STARTUP_ID": "id-of-the-caller"}

PORTAL_TARGET = ["--session", "--dest", "org.freedesktop.portal.Desktop", "--object-path",
                 "/org/freedesktop/portal/desktop", "--method", "org.freedesktop.portal.OpenURI.OpenURI"]

FEW = [
    "notes:/echo?text=plain",
    "notes://x-callback-url/echo?text=it's%26$(touch${IFS}owned)&x-source=caller",
    "notes:/echo?text=é日本🎉#end",
]

URLS = FEW + [
    "notes://x-callback-url/echo?text=a%20b%26c&x-success=done%3A%2F%2Fok%3Fa%3D1",
    "notes:/echo?text=a b  c ",
    "notes:/echo?text=it's \"quoted\"",
    "notes:/echo?text=$(touch owned)`touch owned`",
    "notes:/echo?text=1;touch owned|touch owned>owned",
    "notes:/echo?text=%",
    "notes:/echo?text=%u%U%f%F%%&b=%zz",
    "notes:/echo?text=%00%0A%7f",
    "notes:/echo?text=%41%c3%a9%2f",
    "notes:/echo?text=back\\slash^`{|}~[]<>",
    "notes:/echo?text=שלום\u202e",
    "notes:/echo?text=a\nb\tc",
    "notes:opaque",
    "notes:///x",
    "notes://",
    "notes:",
    "notes:x?",
    "notes:x#",
    "notes:/a/../b/./c//d",
    "NOTES://Host/A",
    "notes:/echo?a&&b=&=c&a=1&a=2#f#g",
    "notes:/echo?text=a+b%2B",
    "notes:--help",
    "notes://user:pw@host:80/x",
    "notes:/echo?text=" + "a%20" * 8192,
    "notes:/echo?text=\udcff",
]

# KDE parses and rewrites the URL: it decodes characters that it considers readable, and encodes some others.
KDE = {
    FEW[1]: "notes://x-callback-url/echo?text=it's%26$(touch$%7BIFS%7Downed)&x-source=caller",
    URLS[3]: "notes://x-callback-url/echo?text=a b%26c&x-success=done%3A%2F%2Fok%3Fa%3D1",
    "notes:/echo?text=a b  c ": "notes:/echo?text=a b  c",
    "notes:/echo?text=it's \"quoted\"": "notes:/echo?text=it's %22quoted%22",
    "notes:/echo?text=$(touch owned)`touch owned`": "notes:/echo?text=$(touch owned)%60touch owned%60",
    "notes:/echo?text=1;touch owned|touch owned>owned": "notes:/echo?text=1;touch owned%7Ctouch owned%3Eowned",
    "notes:/echo?text=%": "notes:/echo?text=%25",
    "notes:/echo?text=%u%U%f%F%%&b=%zz": "notes:/echo?text=%25u%25U%25f%25F%25%25&b=%25zz",
    "notes:/echo?text=%00%0A%7f": "notes:/echo?text=%00%0A%7F",
    "notes:/echo?text=%41%c3%a9%2f": "notes:/echo?text=Aé%2F",
    "notes:/echo?text=back\\slash^`{|}~[]<>": "notes:/echo?text=back%5Cslash%5E%60%7B%7C%7D~[]%3C%3E",
    "notes:/echo?text=a\nb\tc": "notes:/echo?text=a%0Ab%09c",
    "NOTES://Host/A": "notes://host/A",
    "notes:/echo?text=" + "a%20" * 8192: "notes:/echo?text=" + "a " * 8192,
    "notes:/echo?text=\udcff": "notes:/echo?text=\ufffd",
}
# Xfce requires valid escapes, and shows a window otherwise.
XFCE = dict.fromkeys([
    "notes:/echo?text=%", "notes:/echo?text=%u%U%f%F%%&b=%zz", "notes:/echo?text=%00%0A%7f", "notes:/echo?text=\udcff"])
# xdg-open matches the scheme case-sensitively, with a pattern for text.
SCRIPT = dict.fromkeys(["NOTES://Host/A", "notes:/echo?text=\udcff"])
# An argument of a Python function can only be text.
TEXT = dict.fromkeys(["notes:/echo?text=\udcff"])


class Known(collections.namedtuple("Known", "way changes failure")):
    """How an opener works in a session: a way, the URLs that it changes, and what it does if it cannot open one."""

    def received(self, url):
        """What the handler gets; None if the opener does not open the URL."""
        if self.changes is None:
            return None
        return self.changes.get(url, url)


GLIB = Known("GLib", {}, "fails")
QT = Known("KDE", KDE, "fails")
EXO = Known("Xfce", XFCE, "a window")
CONTEXT = Known("GTK", TEXT, "fails")
PORTAL = Known("portal", TEXT, "fails")
SANDBOX = Known("sandbox", TEXT, "fails")
NO_DISPLAY = Known("nothing", None, "fails")

KNOWN = {}
for session in ("GNOME", "KDE", "KDE, no version", "XFCE", "none", "none, no display"):
    has_display = session != "none, no display"
    KNOWN[session, "gio open"] = GLIB
    KNOWN[session, "kde-open5"] = QT if has_display else NO_DISPLAY
    KNOWN[session, "exo-open"] = EXO if has_display else NO_DISPLAY
    KNOWN[session, "GTK"] = CONTEXT if has_display else NO_DISPLAY
    KNOWN[session, "portal"] = PORTAL if has_display else NO_DISPLAY
    KNOWN[session, "sandbox"] = SANDBOX if has_display else NO_DISPLAY
KNOWN["GNOME", "xdg-open"] = GLIB
KNOWN["KDE", "xdg-open"] = QT
# It runs kfmclient, which is missing, and treats that as a success.
KNOWN["KDE, no version", "xdg-open"] = Known("kfmclient", None, "SILENT")
KNOWN["XFCE", "xdg-open"] = EXO
KNOWN["none", "xdg-open"] = Known("script", SCRIPT, "SILENT")
KNOWN["none, no display", "xdg-open"] = NO_DISPLAY

# The tokens that the handler receives. Only KDE makes a new one for an entry without startup notification.
TOKENS = {
    "GLib": "caller's / caller's",
    "KDE": "caller's / new",
    "Xfce": "caller's / caller's",
    "GTK": "caller's / none",
    "portal": "caller's / none",
    "sandbox": "none / none",
    "script": "caller's / caller's",
}

# The results for a scheme without an application.
UNKNOWN = {
    "GLib": "fails", "KDE": "fails", "Xfce": "a window", "GTK": "fails", "portal": "a window", "sandbox": "a window",
    "script": "the browser gets it", "kfmclient": "SILENT", "nothing": "fails",
}
