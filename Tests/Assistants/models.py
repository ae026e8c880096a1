"""Reads the schemas of tools as programs of others do that call models: models.py PROGRAM SOCKET

PROGRAM is `xcallback`, and the daemon has the routes of types.yaml. A program that cannot read one tool often refuses all.
"""

import copy
import sys

import agents.strict_schema
import google.genai._mcp_utils
import llguidance
import mcp.types
import re2

import bridge


def patterns(schema):
    if isinstance(schema, dict):
        yield from [schema["pattern"]] if "pattern" in schema else []
        for member in schema.values():
            yield from patterns(member)


def make_grammar(schema):
    fault = llguidance.LLMatcher.validate_grammar(llguidance.LLMatcher.grammar_from_json_schema(schema))
    if fault:
        raise ValueError(fault)


READERS = {
    "google-genai": lambda tool: google.genai._mcp_utils.mcp_to_gemini_tool(mcp.types.Tool.model_validate(tool)),
    "openai-agents, strict": lambda tool: agents.strict_schema.ensure_strict_json_schema(copy.deepcopy(tool["inputSchema"])),
    "llguidance": lambda tool: make_grammar(tool["inputSchema"]),
    "RE2": lambda tool: [re2.compile(pattern) for pattern in patterns(tool)],
}


def main():
    client = bridge.Bridge(sys.argv[1], sys.argv[2])
    tools = client.tools()
    assert len(tools) > 30, tools
    wrong = 0
    for tool in tools:
        for reader, read in READERS.items():
            try:
                read(tool)
            except Exception as error:
                wrong += 1
                print(f"{reader} cannot read {tool['name']}: {error}")
    assert client.close() == 0
    sys.exit(wrong > 0)


main()
