"""Reads URLs, one a line, and writes how other parsers read their hosts and ports.

A line has the name of a parser, the host and the port, for urllib, then for ada and Node if they are installed. The
host is "!" if the parser rejects the URL.
"""

import shutil
import subprocess
import sys
import urllib.parse

NODE = r"""
const lines = require('fs').readFileSync(0, 'utf8').split('\n').slice(0, -1)
process.stdout.write(lines.map(line => {
    try { const u = new URL(line); return u.hostname + '\t' + u.port + '\n' } catch { return '!\t\n' }
}).join(''))
"""


def urllib_parts(url):
    try:
        parts = urllib.parse.urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        host = host[: host.index("]") + 1] if host.startswith("[") else host.partition(":")[0]
        return host, "" if parts.port is None else str(parts.port)
    except ValueError:
        return "!", ""


def ada_parts(url):
    try:
        parts = ada_url.URL(url)
        return parts.hostname, parts.port
    except ValueError:
        return "!", ""


def node_parts(urls):
    text = "".join(url + "\n" for url in urls).encode()
    output = subprocess.run(["node", "-e", NODE], input=text, capture_output=True, check=True).stdout
    return [line.split("\t") for line in output.decode().split("\n")[:-1]]


urls = sys.stdin.buffer.read().decode().split("\n")[:-1]
columns = [("urllib", [urllib_parts(url) for url in urls])]
try:
    import ada_url

    columns.append(("ada", [ada_parts(url) for url in urls]))
except ImportError:
    pass
if shutil.which("node"):
    columns.append(("node", node_parts(urls)))
for index in range(len(urls)):
    fields = [field for name, parts in columns for field in (name, *parts[index])]
    sys.stdout.buffer.write(("\t".join(fields) + "\n").encode())
