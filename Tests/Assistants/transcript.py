"""Checks each line that the bridge has written by the schema of its revision, with 'mcp-types': FOLDER, with 'in' and 'out'."""
import json
import sys

from mcp_types import jsonrpc_message_adapter
from mcp_types.methods import parse_server_notification, validate_server_result

REVISION = "io.modelcontextprotocol/protocolVersion"
folder = sys.argv[1]
requests, revision = {}, None
for line in open(f"{folder}/in"):
    message = json.loads(line)
    if "id" in message and "method" in message:
        own = message.get("params", {}).get("_meta", {}).get(REVISION)
        requests[json.dumps(message["id"])] = (message["method"], own)
        revision = revision or own

count = 0
answered = set()
for line in open(f"{folder}/out"):
    message = json.loads(line)
    jsonrpc_message_adapter.validate_python(message)
    count += 1
    if "method" in message:
        parse_server_notification(message["method"], revision, message.get("params"))
        continue
    id = json.dumps(message["id"])
    assert id not in answered, f"{id} is answered twice"
    answered.add(id)
    if "error" in message:
        continue
    method, own = requests[id]
    if method == "initialize":
        revision = message["result"]["protocolVersion"]
    validate_server_result(method, own or revision, message["result"])
assert count > 20, count
print(f"{count} messages")
