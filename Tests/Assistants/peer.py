"""What an assistant's client does, by the library 'mcp' of others: FOLDER PROGRAMS VERSION REVISION.

PROGRAMS is where xcallbackd and xcallback are. VERSION is the library's, and REVISION that of the protocol which it must
begin with. What both sides say is kept in FOLDER, for transcript.py.
"""
import asyncio
import atexit
import contextlib
import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import time

folder, programs, version, revision = sys.argv[1:]
assert importlib.metadata.version("mcp") == version
is_new = version.startswith("2.")
socket = f"{folder}/socket"
COUNT = 'for n in 1 2; do echo "[$n/3] step $n" >&2; sleep 0.3; done; echo $$ >PID'
CONFIGURATION = """
schemes: [app]
limits: { processes-per-route: 64 }
routes:
  - route: "app:/items/:id"
    agent: true
    description: Tells of an item.
    input: { id: int, note: { type: string, max-length: 5, required: false } }
    returns: { id: int, by: string, from: string }
    effect: read
    respond: { id: "{id}", by: "{@source}", from: "{@origin}" }
  - { route: app:/kept, respond: { a: "1" } }
  - { route: app:/slow, agent: slow, exec: [sh, -c, "echo $$ >PID; exec sleep 60"] }
  - { route: app:/short, agent: short, exec: [sh, -c, "sleep 0.1; echo done"] }
  - { route: app:/no, agent: refused, exec: [sh, -c, "exit 3"] }
  - { route: app:/broken, agent: broken, returns: { count: int }, respond: { count: many } }
  - { route: app:/counts, agent: counts, exec: [sh, -c, 'COUNT; exec sleep 60'], progress: true, timeout: 1h }
  - { route: app:/given, agent: given, deliver: own, wait: 20s, timeout: 1h }
""".replace("COUNT", COUNT).replace("PID", f"{folder}/pid")


def start():
    """Starts the daemon, and waits until somebody is answered."""
    log = open(f"{folder}/daemon.log", "a")
    daemon = subprocess.Popen(
        [f"{programs}/xcallbackd", "--config", f"{folder}/c.yaml", "--socket", socket], stdin=subprocess.DEVNULL,
        stdout=log, stderr=log, env=os.environ | {"XDG_STATE_HOME": f"{folder}/state"})
    atexit.register(daemon.kill)
    until(lambda: subprocess.run([f"{programs}/xcallback", "status", "--socket", socket], capture_output=True).returncode == 0)
    return daemon


def until(holds, limit=20):
    end = time.monotonic() + limit
    while not holds():
        assert time.monotonic() < end, "in vain"
        time.sleep(0.02)


def configure(text):
    with open(f"{folder}/c.yaml", "w") as file:
        file.write(text)


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().split(")")[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Peer:
    """A client of either line of the library."""

    def __init__(self):
        self.changes, self.texts = 0, []

    @contextlib.asynccontextmanager
    async def connected(self):
        from mcp import StdioServerParameters
        # Both sides are kept. The shell becomes the bridge, so that it gets what the client sends to its process.
        script = f"exec '{programs}/xcallback' mcp --socket '{socket}' < <(tee '{folder}/in') > >(tee '{folder}/out')"
        server = StdioServerParameters(command="bash", args=["-c", script])
        if is_new:
            from mcp import Client
            mode = "auto" if revision == "2026-07-28" else "legacy"
            async with Client(server, mode=mode, cache=None, message_handler=self.heard) as client:
                self.client = client
                assert client.protocol_version == revision, client.protocol_version
                yield
        else:
            from mcp import ClientSession
            from mcp.client.stdio import stdio_client
            async with stdio_client(server) as (read, write):
                async with ClientSession(read, write, message_handler=self.heard) as session:
                    self.client = session
                    began = await session.initialize()
                    assert began.protocolVersion == revision, began
                    yield

    async def heard(self, message):
        # A subscription tells of them itself.
        if "ToolListChanged" in repr(message) and not hasattr(self, "listening"):
            self.changes += 1
        if version == "1.6.0" and "ProgressNotification" in repr(message):
            self.progress(None, None, message.root.params.message)

    def progress(self, _time, _total, text):
        self.texts.append(text)

    async def listen(self):
        """Hears of changes, where they have to be asked for."""
        if not is_new or self.client.protocol_version < "2026":
            return
        ready = asyncio.Event()

        async def listening():
            async with self.client.listen(tools_list_changed=True) as changes:
                ready.set()
                async for _ in changes:
                    self.changes += 1
        self.listening = asyncio.create_task(listening())
        await ready.wait()

    async def tools(self):
        result = await self.client.list_tools()
        return [tool.model_dump(by_alias=True, exclude_none=True) for tool in result.tools]

    async def follow(self, name):
        """Calls a tool, and keeps the texts of its progress."""
        if version != "1.6.0":
            async def progress(*values):
                self.progress(*values)
            return await self.client.call_tool(name, {}, progress_callback=progress)
        # This one leaves the token, and what is said of it, to its user.
        from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest
        parameters = CallToolRequestParams(name=name, arguments={}, _meta={"progressToken": 1})
        request = CallToolRequest(method="tools/call", params=parameters)
        return await self.client.send_request(ClientRequest(request), CallToolResult)

    async def call(self, name, **arguments):
        result = await self.client.call_tool(name, arguments)
        return result.model_dump(by_alias=True, exclude_none=True)

    async def cancel(self, call):
        """Cancels the call that was made last."""
        if not is_new:
            from mcp.types import CancelledNotification, CancelledNotificationParams, ClientNotification
            parameters = CancelledNotificationParams(requestId=self.client._request_id - 1, reason="enough")
            await self.client.send_notification(
                ClientNotification(CancelledNotification(method="notifications/cancelled", params=parameters)))
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call


def last_of_history():
    """The route and the outcome of what an assistant has done last."""
    with open(f"{folder}/state/xcallbackd/history-assistants.jsonl") as file:
        entry = json.loads(file.read().splitlines()[-1])
    return entry["route"], entry["outcome"]


def text(result):
    assert len(result["content"]) == 1 and result["content"][0]["type"] == "text", result
    return result["content"][0]["text"]


async def code_of(awaitable):
    """The code of the error that a request ends with."""
    try:
        result = await awaitable
    except Exception as error:
        return error.error.code
    raise AssertionError(result)


async def reach(condition, limit=20):
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, "in vain"
        await asyncio.sleep(0.02)


async def main():
    configure(CONFIGURATION)
    daemon = start()
    peer = Peer()
    async with peer.connected():
        await peer.listen()

        # The list: what is offered, by name, and nothing else.
        tools = await peer.tools()
        assert [tool["name"] for tool in tools] == ["app_items_id", "broken", "counts", "given", "refused", "short", "slow"], tools
        assert tools[0]["inputSchema"]["required"] == ["id"] and tools[0]["annotations"]["readOnlyHint"] is True, tools[0]

        # A call, whose result the client checks with the output schema.
        result = await peer.call("app_items_id", id=7)
        assert not result["isError"] and result["structuredContent"] == {"id": 7, "by": "mcp", "from": "agent"}, result

        # What the daemon refuses, and what the handler says, is for the model.
        result = await peer.call("app_items_id", id=7, note="too long")
        assert result["isError"] and text(result).startswith("error: Parameter 'note' must be"), result
        result = await peer.call("app_items_id", id=7, other="x")
        assert result["isError"] and "no parameter 'other'" in text(result), result
        result = await peer.call("app_items_id")
        assert result["isError"] and text(result).endswith(" (422)"), result
        result = await peer.call("refused")
        assert result["isError"] and text(result) == "error: The program ended with status 3. (3)", result
        result = await peer.call("broken")
        assert result["isError"] and '{"count":"many"}' in text(result), result
        for name in ["nobody", "app_kept", "app:/kept"]:
            assert await code_of(peer.call(name)) == -32602

        # The progress of a program and of a receiver, whose call is then cancelled: the program is gone, and the history says why.
        receiver = subprocess.Popen(
            [f"{programs}/xcallback", "listen", "own", "--progress", "--socket", socket, "--", "sh", "-c",
             COUNT.replace("PID", f"{folder}/pid") + "; exec sleep 60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(receiver.kill)
        for tool in ["slow", "counts", "given"]:
            with open(f"{folder}/pid", "w"):
                peer.texts = []
            call = asyncio.create_task(peer.follow(tool))
            await reach(lambda: open(f"{folder}/pid").read().endswith("\n"))
            pid = int(open(f"{folder}/pid").read())
            assert runs(pid)
            if tool != "slow":
                await reach(lambda: "2 of 3: step 2" in peer.texts)
                assert peer.texts == ["1 of 3: step 1", "2 of 3: step 2"], peer.texts
            await peer.cancel(call)
            await reach(lambda: not runs(pid))
            await reach(lambda: last_of_history() == (f"app:/{tool}", "cancel"))

        # As many calls as there may be at a time, and eight more that wait.
        results = await asyncio.gather(*(peer.call("short") for _ in range(64)))
        assert all(result["structuredContent"] == {"result": "done"} for result in results), results

        # A reload that changes what is offered is told, one that does not is not.
        configure(CONFIGURATION.replace("app:/kept, respond: { a: \"1\" }", "app:/kept, respond: { a: \"2\" }"))
        subprocess.run([f"{programs}/xcallback", "reload", "--socket", socket], check=True, capture_output=True)
        configure(CONFIGURATION.replace("app:/no, agent: refused", "app:/no, agent: not_any_more"))
        subprocess.run([f"{programs}/xcallback", "reload", "--socket", socket], check=True, capture_output=True)
        await reach(lambda: peer.changes == 1)
        assert "not_any_more" in [tool["name"] for tool in await peer.tools()]
        assert await code_of(peer.call("refused")) == -32602

        # The daemon goes away, and another one comes.
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()
        result = await peer.call("app_items_id", id=7)
        assert result["isError"] and socket in text(result), result
        assert await code_of(peer.tools()) == -32603
        configure(CONFIGURATION)
        daemon = start()
        await reach(lambda: peer.changes == 2)
        result = await peer.call("app_items_id", id=8)
        assert result["structuredContent"]["id"] == 8, result
        if is_new and hasattr(peer, "listening"):
            peer.listening.cancel()
    daemon.send_signal(signal.SIGTERM)
    assert daemon.wait() == 0
    print("all of it")


asyncio.run(main())
