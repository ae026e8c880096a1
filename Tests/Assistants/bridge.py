"""A client of `xcallback mcp` that has many calls under way, in the revision that has no handshake."""

import json
import subprocess

# As many as are made and wait at the same time, and less than the bridge takes.
WINDOW = 64
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Bridge:
    def __init__(self, program, socket):
        self.process = subprocess.Popen(
            [program, "mcp", "--socket", socket], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _send(self, number, method, params):
        line = {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": META}}
        self.process.stdin.write(json.dumps(line).encode() + b"\n")

    def ask(self, method, params):
        self._send("ask", method, params)
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == "ask", answer
        return answer["result"]

    def tools(self):
        found, cursor = [], {}
        while True:
            page = self.ask("tools/list", cursor)
            found += page["tools"]
            if "nextCursor" not in page:
                return found
            cursor = {"cursor": page["nextCursor"]}

    def call(self, calls):
        """Calls tools, each with arguments, and gives back their answers in the same order."""
        answers = [None] * len(calls)
        sent = 0
        for received in range(len(calls)):
            while sent < len(calls) and sent - received < WINDOW:
                name, arguments = calls[sent]
                self._send(sent, "tools/call", {"name": name, "arguments": arguments})
                sent += 1
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline())
            assert answers[answer["id"]] is None, answer
            answers[answer["id"]] = answer
        return answers

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=10)
