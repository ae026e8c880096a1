"""The gate in real clients: a stand-in for their model wants a command to run, and a person's stand-in answers the dialog.

clients.py PROGRAMS PACKAGES: PROGRAMS is the folder of xcallbackd, PACKAGES that of the clients' Python packages. 'run' starts it
as root in a network of its own, where nothing but the stand-in can be reached.
"""
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = HERE + "/../../config/examples/gate"
sys.dont_write_bytecode = True
sys.path.insert(0, HERE + "/../Desktop")
from checks import Checks  # noqa: E402

YES, NO = "Tab Return", "Return"
# More than the time after the start of a dialog in which answers do not count.
SETTLED = 3.6
PATCH = "*** Begin Patch\n*** Add File: ran\n+hi\n*** End Patch\n"


class Model(http.server.BaseHTTPRequestHandler):
    """Answers the first request of a conversation with calls of tools, and the next one with a text."""

    protocol_version = "HTTP/1.1"
    calls, conversation = [], ""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send(404, "application/json", "{}")

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        body = json.loads(text)
        if "/responses" in self.path:
            Model.conversation = text
            self.stream(self.codex(body, [] if "call_output" in text else self.calls))
        elif "/messages" in self.path and body.get("stream"):
            Model.conversation = text
            is_first = "tool_result" not in text and any(tool["name"] == "Bash" for tool in body.get("tools", []))
            self.stream(self.claude(body, self.calls if is_first else []))
        else:
            self.send(404, "application/json", "{}")

    def stream(self, events):
        lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
        self.send(200, "text/event-stream", "".join(lines))

    def send(self, code, kind, text):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    @staticmethod
    def claude(body, calls):
        message = {"id": "m", "type": "message", "role": "assistant", "model": body["model"], "content": [], "stop_reason": None,
                   "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        yield {"type": "message_start", "message": message}
        for index, (tool, arguments) in enumerate(calls or [(None, "done")]):
            if tool:
                block = {"type": "tool_use", "id": f"toolu_{index}", "name": tool, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
            else:
                block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": arguments}
            yield {"type": "content_block_start", "index": index, "content_block": block}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        delta = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}
        yield {"type": "message_stop"}

    @staticmethod
    def codex(_, calls):
        content = [{"type": "output_text", "text": "done", "annotations": []}]
        items = [] if calls else [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}]
        for index, (tool, arguments) in enumerate(calls):
            call = {"id": f"c_{index}", "call_id": f"call_{index}", "name": tool, "status": "completed"}
            if isinstance(arguments, str):
                items.append(call | {"type": "custom_tool_call", "input": arguments})
            else:
                items.append(call | {"type": "function_call", "arguments": json.dumps(arguments)})
        yield {"type": "response.created", "response": {"id": "r", "output": []}}
        for index, item in enumerate(items):
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        yield {"type": "response.completed", "response": {"id": "r", "output": items, "usage": usage}}


class Site:
    """A home with a daemon, a screen, the clients and the gate."""

    def __init__(self, programs, packages):
        self.programs = programs
        self.home = tempfile.mkdtemp(prefix="clients-")
        for folder in ("run/xcallbackd", "bin", ".claude", ".codex"):
            os.makedirs(f"{self.home}/{folder}", 0o700)
        os.symlink(packages + "/claude_agent_sdk/_bundled/claude", self.home + "/bin/claude")
        os.symlink(packages + "/codex_cli_bin/bin/codex", self.home + "/bin/codex")
        self.environment = {
            "HOME": self.home, "XDG_RUNTIME_DIR": self.home + "/run", "PATH": self.home + "/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
            "DISPLAY": ":31", "NO_AT_BRIDGE": "1", "SHELL": "/bin/bash", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1", "KEY": "none", "ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": "http://127.0.0.1:8123"}
        self.gate = self.home + "/gate"
        self.write_gate()
        self.run("ip", "link", "set", "lo", "up")
        self.screen = subprocess.Popen(["Xvfb", ":31", "-screen", "0", "1024x768x24", "-nolisten", "tcp"], stderr=subprocess.DEVNULL)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 8123), Model)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.start_daemon()
        print(self.run(self.gate, "setup"), end="")

    def run(self, *words):
        return subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout

    def write_gate(self, limit=540):
        with open(EXAMPLE + "/gate") as file:
            text = file.read()
        with open(self.gate, "w") as file:
            file.write(text.replace("LIMIT = 540", f"LIMIT = {limit}"))
        os.chmod(self.gate, 0o755)

    def start_daemon(self):
        words = [self.programs + "/xcallbackd", "--config", EXAMPLE + "/gate.yaml", "--socket", self.home + "/run/xcallbackd/socket"]
        self.daemon = subprocess.Popen(words, env=self.environment, stderr=subprocess.DEVNULL)
        while self.run("xdotool", "getmouselocation") == "" or not os.path.exists(words[-1]):
            time.sleep(0.1)

    def stop_daemon(self):
        self.daemon.terminate()
        self.daemon.wait()

    def dialogs(self):
        """The processes of the dialogs on the screen: the next dialog can have the same window."""
        return set(self.run("xdotool", "search", "--onlyvisible", "--name", "xcallback", "getwindowpid", "%@").split())

    def answer(self, answers, client):
        """Answers one dialog after another while a client runs."""
        for keys in answers:
            while not (shown := self.dialogs()):
                if client.poll() is not None:
                    return
                time.sleep(0.1)
            time.sleep(SETTLED)
            for key in keys.split():
                self.run("xdotool", "key", key)
                time.sleep(0.2)
            while shown & self.dialogs():
                time.sleep(0.05)

    def kill_hook(self):
        while not self.dialogs():
            time.sleep(0.1)
        self.run("pkill", "-KILL", "--full", self.gate + " ask")

    def try_client(self, client, calls, answers, during):
        """Lets a client make calls; the files that they made, and the conversation after them."""
        Model.calls, Model.conversation = calls, ""
        work = tempfile.mkdtemp(dir=self.home)
        if client == "claude":
            words = ["claude", "-p", "go", "--model", "claude-sonnet-4-5", "--allowedTools", "Bash", "Write"]
        else:
            provider = '{name="a",base_url="http://127.0.0.1:8123/v1",wire_api="responses",env_key="KEY"}'
            words = ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-s", "danger-full-access", "-c",
                     "model_providers.a=" + provider, "-c", "model_provider=a", "-c", "model=gpt-5.5", "go"]
        process = subprocess.Popen(words, cwd=work, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        person = threading.Thread(target=during or self.answer, args=() if during else (answers, process), daemon=True)
        person.start()
        try:
            process.wait(180)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        return sorted(name for name in os.listdir(work) if not name.startswith(".")), Model.conversation

    def end(self):
        self.stop_daemon()
        self.screen.terminate()
        shutil.rmtree(self.home)


def main():
    checks = Checks()
    site = Site(*map(os.path.abspath, sys.argv[1:]))
    for client in ("claude", "codex"):
        print(site.run(client, "--version").strip())
        def shell(text):
            return ("Bash", {"command": text}) if client == "claude" else ("exec_command", {"cmd": text})
        change = ("Write", {"file_path": "ran", "content": "hi\n"}) if client == "claude" else ("apply_patch", PATCH)

        def check(what, calls, answers, expected, reason="", during=None):
            found, conversation = site.try_client(client, calls, answers, during)
            checks.check(f"{client}: {what}", found == expected and reason in conversation, (found, conversation[-400:]))

        no, touch = "the user said no", [shell("touch ran")]
        check("a command runs after a yes", touch, [YES], ["ran"])
        check("a command does not run after a no", touch, [NO], [], no)
        check("a change happens after a yes", [change], [YES], ["ran"])
        check("a change does not happen after a no", [change], [NO], [], no)
        several = [shell(f"touch ran{number}") for number in range(4)]
        found, _ = site.try_client(client, several, [YES, NO, YES, NO], None)
        checks.check(f"{client}: of four calls at once, two run", len(found) == 2, found)
        if client == "claude":
            # Codex lets the call pass, as the page on assistants says.
            check("a command does not run if its hook is killed", touch, [], [], during=site.kill_hook)
        site.write_gate(limit=4)
        check("a command does not run without an answer", touch, [], [], "did not answer in time")
        os.unlink(site.gate)
        check("a command does not run if the hook is missing", touch, [], [])
        site.write_gate()
        site.stop_daemon()
        check("a command does not run without the daemon", touch, [], [], "cannot be reached")
        site.start_daemon()
    site.end()
    sys.exit(checks.end())


main()
