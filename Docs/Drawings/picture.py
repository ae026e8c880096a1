"""Pictures as SVG, in the colors of light and dark pages."""
import os
from xml.sax.saxutils import escape

# The colors of GitHub's pages, on which text of each kind has a contrast of at least 4.5.
SCHEMES = {
    "light": {"ink": "#1f2328", "faint": "#59636e", "line": "#818b98", "box": "#f6f8fa", "key": "#ddf4ff", "ask": "#0969da",
              "answer": "#1a7f37", "refuse": "#cf222e", "bar": "#b6bec9"},
    "dark": {"ink": "#f0f6fc", "faint": "#9198a1", "line": "#656c76", "box": "#151b23", "key": "#12283f", "ask": "#4493f8",
             "answer": "#3fb950", "refuse": "#f85149", "bar": "#4b535d"},
}
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, 'DejaVu Sans Mono', monospace"


class Picture:
    """Elements of SVG, whose colors are names in braces."""

    def __init__(self, title, width, height):
        self.title, self.width, self.height = title, width, height
        self.elements = []

    def add(self, element):
        self.elements.append(element)

    def text(self, x, y, text, color="ink", size=14, anchor="start", bold=False, mono=False):
        """A line of text, whose baseline is at y."""
        more = (' font-weight="600"' if bold else "") + (f' font-family="{MONO}"' if mono else "")
        more += "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.add(f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{{{color}}}"{more}>{braces(escape(text))}</text>')

    def box(self, x, y, width, height, fill="box", border="line", dashed=False):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        fill = "none" if fill == "none" else f"{{{fill}}}"
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8" fill="{fill}" '
                 f'stroke="{{{border}}}"{dash}/>')

    def bar(self, x, y, width, height, color):
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:.4g}" height="{height:g}" rx="2" fill="{{{color}}}"/>')

    def arrow(self, points, color):
        """A line with a head at its end, through points."""
        way = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        self.add(f'<path d="{way}" fill="none" stroke="{{{color}}}" stroke-width="2" stroke-linejoin="round" '
                 f'marker-end="url(#{color})"/>')

    def svg(self, scheme):
        heads = "".join(
            f'\n  <marker id="{color}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8z" fill="{{{color}}}"/></marker>'
            for color in SCHEMES[scheme] if any(f"#{color})" in element for element in self.elements))
        body = "\n  ".join(self.elements)
        text = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
                f'height="{self.height}" role="img" aria-labelledby="title" font-family="{SANS}">\n'
                f'  <title id="title">{braces(escape(self.title))}</title>{heads}\n  {body}\n</svg>\n')
        return text.format(**SCHEMES[scheme])

    def write(self, folder, name):
        """Writes NAME-light.svg and NAME-dark.svg."""
        for scheme in SCHEMES:
            with open(os.path.join(folder, f"{name}-{scheme}.svg"), "w") as file:
                file.write(self.svg(scheme))


def braces(text):
    return text.replace("{", "{{").replace("}", "}}")
