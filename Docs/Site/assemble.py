#!/usr/bin/python3
"""Puts together what the site is made of: assemble.py FOLDER

FOLDER gets pages/, with the documents where they are in the repository, a page for each other file or folder that they
link to, and the manual pages; and mkdocs.yml, whose navigation is that of Docs/README.md.
"""
import glob
import os
import posixpath
import re
import shutil
import subprocess
import sys

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
GUIDES = "/XCallback.docc/"
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
LANGUAGES = {".swift": "swift", ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".py": "python", ".c": "c", ".h": "c",
             ".sh": "sh", "Makefile": "make"}


def documents():
    """The documents, as the repository knows them."""
    names = glob.glob("Docs/**/*.md", recursive=True)
    return ["README.md", "CONTRIBUTING.md", *(name for name in ["CHANGELOG.md", "SECURITY.md"] if os.path.exists(name)),
            *sorted(names)]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def name_of(path):
    """The name of the page of a file or folder that is no document. Hidden ones are left out by MkDocs and by servers."""
    return path.lstrip(".") + ".md"


def page_of(path):
    """What a page shows of a file or folder that is no document."""
    if os.path.isdir(path):
        # What builds leave is no part of it.
        names = sorted(os.path.relpath(name, path) for name in glob.glob(f"{path}/**", recursive=True)
                       if os.path.isfile(name) and "__pycache__" not in name)
        return f"# {path}\n\nThe files of this folder:\n\n" + "".join(f"- `{name}`\n" for name in names)
    name, ending = os.path.basename(path), os.path.splitext(path)[1]
    # People search for configurations and examples, and not for code.
    front = "" if path.startswith(("config", "Docs")) else "---\nsearch: { exclude: true }\n---\n"
    return f"{front}# {path}\n\n````{LANGUAGES.get(ending) or LANGUAGES.get(name) or 'text'}\n{read(path).rstrip()}\n````\n"


def convert(name, extra):
    """A document whose links to other files lead to their pages; those files are noted in 'extra'."""
    folder = posixpath.dirname(name)

    def lead(match):
        target, mark, anchor = match[2].partition("#")
        path = posixpath.normpath(posixpath.join(folder, target)) if target else ""
        if path.endswith("../releases"):
            # A page of the repository's host.
            return match[1]
        if GUIDES in path:
            # The library's documentation is added to the site when that is built, so this is no link that MkDocs checks.
            guide = path[path.index(GUIDES) + len(GUIDES):-len(".md")].lower()
            page = posixpath.relpath(f"library/documentation/xcallback/{guide}", folder or ".") + "/"
            return f'<a href="{page}">{match[1]}</a>'
        if not target or ":" in target or path.endswith(".md") or path.startswith("Docs/Images/") or not os.path.exists(path):
            return match[0]
        extra.add(path)
        return f"[{match[1]}]({posixpath.relpath(name_of(path), folder or '.')}{mark}{anchor})"

    text, place, parts = read(name), 0, []
    for fence in FENCE.finditer(text):
        parts += [LINK.sub(lead, text[place:fence.start()]), graph(fence[0])]
        place = fence.end()
    return "".join(parts) + LINK.sub(lead, text[place:])


def graph(fence):
    """A drawing of Mermaid as SVG, and everything else as it is."""
    kind = fence.splitlines()[:2]
    if kind[0] != "```mermaid":
        return fence
    isState = kind[1] == "stateDiagram-v2"
    lines = [f'digraph {{ bgcolor=transparent; rankdir={"LR" if isState else "TB"}; '
             'node [shape=box style=rounded fontname="sans-serif" fontsize=12]; edge [fontname="sans-serif" fontsize=11];',
             'begin [shape=circle style=filled fillcolor=gray label="" width=0.15]; '
             'end [shape=doublecircle style=filled fillcolor=gray label="" width=0.12];' if isState else ""]
    for line in fence.splitlines()[2:-1]:
        first, last, label = re.match(r"\s*(\S+) --> ([^\s:]+)(?:: (.*))?$", line).groups()
        ends = ["begin" if first == "[*]" else f'"{first}"', "end" if last == "[*]" else f'"{last}"']
        lines.append(f'{" -> ".join(ends)} [label="{label or ""}"];')
    svg = subprocess.run(["dot", "-Tsvg"], input="\n".join(lines + ["}"]), text=True, stdout=subprocess.PIPE,
                         check=True).stdout
    svg = re.sub(r"<!--.*?-->|<title>.*?</title>|\n", "", svg[svg.index("<svg"):], flags=re.S)
    return f'<div class="graph">{svg}</div>'


def manual(path):
    """A manual page; what it says of other manual pages leads to them."""
    name, section = os.path.basename(path).rsplit(".", 1)
    text = subprocess.check_output(["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", path], text=True)

    # Those of other packages are not here.
    text = re.sub(r'<a class="Xr" href="([^"]*)\.html">(.*?)</a>',
                  lambda match: match[0] if os.path.exists(f"Docs/man/{match[1]}") else match[2], text, flags=re.S)
    # Headings of pages begin with the second level; a line without text would end the HTML.
    text = re.sub(r"<(/?)h1", r"<\1h2", text)
    text = re.sub(r"<pre>.*?</pre>", lambda match: match[0].replace("\n", "&#10;"), text, flags=re.S)
    return f"# {name}({section})\n\n<div class=\"manual\">\n{re.sub(chr(10) + '+', chr(10), text)}</div>\n"


def navigation(manuals):
    """The sections and pages of Docs/README.md, in their order."""
    lines, section = ["nav:", "  - Home: README.md", "  - Documents: Docs/README.md"], None
    for line in read("Docs/README.md").splitlines():
        if line.startswith("## "):
            section = line[3:]
            lines.append(f'  - "{section}":')
        for title, target in re.findall(r"\[([^\]]+)\]\(((?!\.\.|http)[^()#\s]+\.md)\)", line):
            if section:
                lines.append(f'    - "{title}": Docs/{target}')
    lines.append("  - Manual pages:")
    lines += [f'    - "{name}({number})": Docs/man/{name}.{number}.md' for name, number in manuals]
    lines += ["  - Contributing: CONTRIBUTING.md"]
    lines += [f"  - {name.capitalize()}: {name.upper()}.md" for name in ("changelog", "security") if
              os.path.exists(f"{name.upper()}.md")]
    return "\n".join(lines) + "\n"


def main(folder):
    pages = os.path.join(folder, "pages")
    shutil.rmtree(pages, ignore_errors=True)
    extra = {"LICENSE"}
    for name in documents():
        write(os.path.join(pages, name), convert(name, extra))
    for path in extra:
        write(os.path.join(pages, name_of(path)), page_of(path))
    shutil.copytree("Docs/Images", os.path.join(pages, "Docs/Images"))
    os.makedirs(os.path.join(pages, "Docs/Site"))
    shutil.copy("Docs/Site/style.css", os.path.join(pages, "Docs/Site/style.css"))
    manuals = sorted(os.path.basename(path).rsplit(".", 1) for path in glob.glob("Docs/man/*"))
    for name, number in manuals:
        write(os.path.join(pages, f"Docs/man/{name}.{number}.md"), manual(f"Docs/man/{name}.{number}"))
    settings = read("Docs/Site/mkdocs.yml") + navigation(manuals)
    settings += "not_in_nav: |\n" + "".join(f"  /{name_of(path)}\n" for path in sorted(extra))
    write(os.path.join(folder, "mkdocs.yml"), settings + "docs_dir: pages\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
