"""Writes a moving picture as PNG (APNG): the first frame whole, of each further one what has changed."""
import collections
import struct
import zlib

from PIL import Image, ImageChops

COLORS = 256


class Film:
    """Frames of one size, each with the time for which it is shown."""

    def __init__(self):
        self.frames = []

    def add(self, image, seconds):
        """Adds a frame; one that shows what the last one shows makes that last longer."""
        if self.frames and not ImageChops.difference(self.frames[-1][0], image).getbbox():
            self.frames[-1][1] += seconds
        else:
            self.frames.append([image, seconds])

    @property
    def seconds(self):
        return sum(seconds for _, seconds in self.frames)

    def bytes(self):
        palette = self.palette()
        frames = [(image.quantize(palette=palette, dither=Image.Dither.NONE), seconds) for image, seconds in self.frames]
        width, height = frames[0][0].size
        colors = bytes(palette.getpalette())
        parts = [chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
                 chunk(b"acTL", struct.pack(">II", len(frames), 0)), chunk(b"PLTE", colors)]
        number, last = 0, None
        for image, seconds in frames:
            # Two frames may become equal when their colors are reduced.
            box = (0, 0, width, height) if last is None else ImageChops.difference(
                last.convert("RGB"), image.convert("RGB")).getbbox() or (0, 0, 1, 1)
            left, top, right, bottom = box
            # The frame is not disposed of afterwards (0), and replaces the previous contents (0).
            parts.append(chunk(b"fcTL", struct.pack(
                ">IIIIIHHBB", number, right - left, bottom - top, left, top, round(seconds * 1000), 1000, 0, 0)))
            number += 1
            pixels = image.crop(box).tobytes()
            rows = b"".join(b"\0" + pixels[row:row + right - left]
                            for row in range(0, len(pixels), right - left))
            data = zlib.compress(rows, 9)
            if last is None:
                parts.append(chunk(b"IDAT", data))
            else:
                parts.append(chunk(b"fdAT", struct.pack(">I", number) + data))
                number += 1
            last = image
        return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + chunk(b"IEND", b"")

    def palette(self):
        """The colors that most pixels of all frames have; windows have few."""
        counts = collections.Counter()
        for image, _ in self.frames:
            counts.update({color: count for count, color in image.getcolors(1 << 24)})
        palette = Image.new("P", (1, 1))
        palette.putpalette([part for color, _ in counts.most_common(COLORS) for part in color])
        return palette


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
