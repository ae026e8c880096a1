"""Values of our own for each type: right ones, wrong ones, and those in between."""

import random

INTS = [
    0, 1, -1, 9, 10, -5, -6, 1000, 1001, 2**31, -2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**63, -2**63, -2**63 - 1, 2**64,
    10**18, 10**19, 10**30, 9223372036854775799, 9223372036854775800, 1.0, -1.0, 0.5, 1e3, 1e18, 1e19, 1.5e1, -0.0,
    -2.0**63, 2.0**63,
]
NUMBERS = INTS + [
    -0.5, -0.50000001, 1e300, 1.0000001e300, 1e308, 1.7976931348623157e308, -1.7976931348623157e308, 5e-324, 1e-7,
    0.1, 123456789.123456789, 10**308, 10**309, -10**309, 10**400,
]
TEXTS = [
    "", " ", "a", "ab", "abc", "abcde", "abcdef", "low", "5", "true", "false", "null", "é", "e\u0301", "a,b", "b,c",
    ",", "a&b=c", "%", "%41", "%zz", "+", "a+b", "?", "#", "/", "a/b", ".", "..", "...", "./", "x-success", "{value}",
    "\x00", "a\x00b", "\x01", "\t", "\n", "a\n", "\na", "\r\n", "\x7f", "\x80", "\u00a0", "\u2028", "\ufeff", "\ufffe",
    "😀", "😀😁😂", "😃", "a" * 100, "😀" * 5, "😀" * 6, "[a]", "]", "^", "\\", "-", "_", "-rf", "ü", "ý", "è",
    # Dates.
    "2026-01-31", "2026-02-29", "2024-02-29", "1900-02-29", "2000-02-29", "0000-02-29", "0000-01-01", "9999-12-31",
    "2026-1-31", "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-32", "+2026-01-31", "-2026-01-31", "20260131",
    "2026-01-31T08:00:00Z", "2026-01-31T08:00:00", "2026-01-31t08:00:00z", "2026-01-31 08:00:00Z",
    "2026-01-31T24:00:00Z", "2026-01-31T23:59:60Z", "2026-01-31T08:60:00Z", "2026-01-31T08:00Z",
    "2026-01-31T08:00:00.1Z", "2026-01-31T08:00:00.123456789Z", "2026-01-31T08:00:00.1234567890Z",
    "2026-01-31T08:00:00.Z", "2026-01-31T08:00:00,1Z", "2026-01-31T08:00:00+01:00", "2026-01-31T08:00:00-23:59",
    "2026-01-31T08:00:00+24:00", "2026-01-31T08:00:00+01", "2026-01-31T08:00:00+0100", "2026-W05-6", "2026-031",
    "２０２６-01-31", "2026-01-31\n",
    # URLs.
    "https://example.org/", "a:b", "a:", ":b", "1a:b", "A+.-9:x", "a_b:c", "mailto:a@b", "a: b", "a:b c", "a:%", "a:%4",
    "a:%4g", "a:%41", "a:é", "a:\u00a0", "a:\u0085", "a:\u1680", "a:\u180e", "a:\u2000", "a:\u200a", "a:\u200b",
    "a:\u2028", "a:\u202f", "a:\u205f", "a:\u3000", "a:\ufeff", "a:😀", "a:\n", "é:b", "data:,", "a:b\x7f", "a:/b/9/c",
    # UUIDs.
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
    "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "f81d4fae7dec11d0a76500a0c91e6bf6",
    "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "g81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
    "f81d4fae-7dec-11d0-a76500a0c91e6bf6",
    # Data.
    "aGk", "aGk=", "aGk==", "aGl", "aA", "aA==", "aA=", "aB", "aGkh", "aGkh=", "-_8", "+/8=", "+_8", "-/8", "AAAA",
    "AAAAAAAAAA", "AAAAAAAAAA==", "AAAAAAAAAAA=", "AAAAAAAAAAAA", "A", "=", "==", "====", "a=Gk", "aG k", "aGk\n",
]
OTHERS = {
    "int": ["5", True, [], {}], "number": ["0.5", False, [], {}], "bool": [0, 1, "true", [], {}],
    "string": [[], {}], "list": [{}, [[]], [{}], [None]],
}


def values(tool, count):
    """A number of values for a tool, the same ones each time."""
    chance = random.Random(tool.name)
    found = single_values(tool, chance, count)
    if not tool.is_list:
        return found
    lists = [[], *[[value] for value in found]]
    return lists + [chance.choices(found, k=chance.randrange(2, 5)) for _ in range(count // 4)]


def single_values(tool, chance, count):
    if tool.type == "bool":
        return [True, False]
    if tool.type in ("int", "number"):
        seeds = INTS if tool.type == "int" else NUMBERS
        found = list(seeds)
        while len(found) < count:
            seed = chance.choice(seeds) + chance.choice([0, 1, -1, chance.randrange(-2000, 2000)])
            found.append(seed if tool.type == "int" or abs(seed) > 2**1000 else seed * chance.choice([1, 0.1, 1e-7]))
        return found
    found = list(TEXTS)
    while len(found) < count:
        found.append(changed(chance.choice(TEXTS), chance))
    return found


def changed(text, chance):
    """A text that differs from another one in a few characters."""
    characters = list(text)
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(characters) + 1)
        other = chance.choice("0129aAfFzZ-_+/=:.%T \n\x00é😀é" + text)
        match chance.randrange(3):
            case 0: characters.insert(place, other)
            case 1: characters[place:place + 1] = other
            case 2: characters[place:place + 1] = []
    return "".join(characters)
