"""The table at the end: what each opener does in each session."""

COLUMNS = ["session", "opener", "opened", "told", "token", "unknown scheme"]


class Table:
    """Rows of text. A cell without a text says so, because an empty one would hide that something was not tested."""

    def __init__(self):
        self.rows = []

    def add(self, *cells):
        self.rows.append([cell or "NOT TESTED" for cell in cells])

    def __str__(self):
        rows = [COLUMNS] + self.rows
        widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([
            *lines, "",
            "opened: the URLs that reach the handler, how many of them byte for byte, and of how many",
            "told: how an error of the URL is reported; if the handler is not reached, how the opener reports that",
            "token: XDG_ACTIVATION_TOKEN / DESKTOP_STARTUP_ID in the environment of the handler"])
