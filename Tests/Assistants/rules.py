"""What the daemon refuses though the schema of a tool accepts it: what no schema can say."""

import base64
import binascii
import calendar
import decimal
import re
import sys

# A whole number written with an exponent is rounded: its digits count, and its value may be within the bounds.
INTEGER = "a whole number beyond 64 bits, or beyond 53 with an exponent"
# JSON has no bounds.
DOUBLE = "a number beyond a double"
# '$' of Python lets a line end follow.
END = "a line end behind everything"
# The pattern for it would be one more that grammars of models cannot read.
NUL = "a NUL in a text"
# '.' and '..' mean a place in a path.
SEGMENT = "a place in a path"
# The length of months is no regular expression that a person could read.
DAY = "a day or a time that does not exist"
# The last digit has bits that belong to no byte, and padding is complete or absent.
DIGITS = "base64 that is not written as its bytes are"
# A length in digits is one in bytes only without padding.
PADDING = "padding, which is no byte"
ALL = [INTEGER, DOUBLE, END, NUL, SEGMENT, DAY, DIGITS, PADDING]

WIDEST = 2**63
# Beyond it, a number with a point or an exponent may not be the whole number that it seems to be.
EXACT = 2**53


def refusal(tool, value):
    """The rule by which the daemon refuses a value that the schema accepts; None if it accepts it, too."""
    if isinstance(value, list):
        found = [refusal_of_one(tool, element) for element in value]
        return next((rule for rule in found if rule), None)
    return refusal_of_one(tool, value)


def refusal_of_one(tool, value):
    if tool.type == "int":
        if isinstance(value, float):
            return None if abs(value) <= EXACT else INTEGER
        return None if -WIDEST <= value < WIDEST else INTEGER
    if tool.type == "number":
        return None if abs(exact(value)) <= largest_before_rounding() else DOUBLE
    if tool.type in ("bool", "enum"):
        return None
    if tool.type != "string" or tool.has_charset:
        if value.endswith("\n"):
            return END
    if tool.type == "string" and "\x00" in value:
        return NUL
    if tool.is_in_path and tool.is_whole_segment and value in (".", ".."):
        return SEGMENT
    if tool.type == "date":
        return None if exists(value) else DAY
    if tool.type == "data":
        count = byte_count(value)
        if count is None:
            return DIGITS
        if not tool.least_bytes <= count <= tool.most_bytes:
            return PADDING
    return None


def exact(number):
    """The value of a number as JSON writes it."""
    return number if isinstance(number, int) else decimal.Decimal(repr(number))


def largest_before_rounding():
    return int(sys.float_info.max) + 2**969 - 1


def exists(text):
    year, month, day = int(text[0:4]), int(text[5:7]), int(text[8:10])
    # The calendar repeats after 400 years, and that of Python has no year 0.
    if not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(year % 400 + 400, month)[1]:
        return False
    if len(text) == 10:
        return True
    zone = re.search(r"[+-](\d\d):(\d\d)$", text)
    hours = [text[11:13], *(zone.groups()[:1] if zone else [])]
    sixtieths = [text[14:16], text[17:19], *(zone.groups()[1:] if zone else [])]
    return all(int(hour) < 24 for hour in hours) and all(int(part) < 60 for part in sixtieths)


def byte_count(text):
    digits = text.rstrip("=")
    if not digits or len(digits) % 4 == 1 or (len(text) != len(digits) and len(text) % 4 != 0):
        return None
    try:
        standard = digits.replace("-", "+").replace("_", "/")
        data = base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except binascii.Error:
        return None
    # The bits of the last digit that belong to no byte are zero.
    return len(data) if base64.b64encode(data).decode().rstrip("=") == standard else None
