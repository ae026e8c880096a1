"""What a client does in a sandbox that has only the socket for assistants: XCALLBACK OTHER, the socket that is not there."""
import asyncio
import os
import subprocess
import sys

from mcp import Client, StdioServerParameters

xcallback, other = sys.argv[1:]


async def main():
    server = StdioServerParameters(
        command=xcallback, args=["mcp"], env={"XCALLBACK_SOCKET": os.environ["XCALLBACK_SOCKET"]})
    async with Client(server, mode="auto") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["app_away", "app_offered"], names
        result = await client.call_tool("app_offered", {})
        assert result.structured_content == {"from": "agent"}, result
        # There is no way to an application from here.
        result = await client.call_tool("app_away", {})
        assert result.is_error and "socket for assistants" in result.content[0].text, result
    assert not os.path.exists(other)
    for words in [["open", "app:/kept"], ["open", "--socket", other, "app:/kept"], ["status"], ["explain", "app:/kept"]]:
        result = subprocess.run([xcallback] + words, capture_output=True, text=True)
        assert result.returncode != 0, result
    lines = subprocess.run(
        ["nc", "-N", "-U", os.environ["XCALLBACK_SOCKET"]], input="app:/offered\napp:/kept\n", capture_output=True, text=True)
    answers = lines.stdout.split()
    assert answers[0].endswith("success?from=agent") and "errorCode=403" in answers[1], answers
    print("all of it")


asyncio.run(main())
