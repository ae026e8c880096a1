"""Compares the schemas of tools with what the daemon accepts.

schemas.py PROGRAM SOCKET FOLDER COUNT: PROGRAM is `xcallback`, the daemon has the routes of types.yaml, FOLDER is for
files, and COUNT says how many values of each kind a tool has.
"""

import collections
import decimal
import os
import re
import sys

PROGRAM, SOCKET, FOLDER, COUNT = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = FOLDER

import hypothesis
import hypothesis_jsonschema
import jsonschema

import bridge
import corpus
import rules


class Tool:
    def __init__(self, description):
        self.name = description["name"]
        words = self.name.split("_")
        self.is_list = words[0] == "list"
        self.type = words[1 if self.is_list else 0]
        self.is_in_path = words[-1] in ("path", "part")
        self.is_whole_segment = words[-1] == "path"
        self.has_charset = words[-1] == "charset"
        self.schema = description["inputSchema"]
        schema = self.schema["properties"]["value"]
        lengths = re.match(r"(\d+) to (\d+) bytes", schema.get("description", ""))
        self.least_bytes, self.most_bytes = map(int, lengths.groups()) if lengths else (0, sys.maxsize)
        self.validator = validator(self.schema)
        self.output_validator = validator(description["outputSchema"])

    def generated(self, count):
        """Values that the schema accepts, the same ones each time."""
        found = []

        @hypothesis.seed(1)
        @hypothesis.settings(
            max_examples=count, database=None, deadline=None, suppress_health_check=list(hypothesis.HealthCheck),
            phases=[hypothesis.Phase.generate])
        @hypothesis.given(hypothesis_jsonschema.from_schema(self.schema))
        def collect(arguments):
            found.append(arguments["value"])

        collect()
        return found


def validator(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def normal(tool, value):
    """A value as it is compared: a number by what is written."""
    if isinstance(value, list):
        return [normal(tool, element) for element in value]
    if tool.type == "number" and not isinstance(value, bool):
        return float(value)
    if tool.type == "int" and isinstance(value, float):
        return int(decimal.Decimal(repr(value)))
    return value


def has_surrogate(value):
    if isinstance(value, list):
        return any(map(has_surrogate, value))
    return isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value)


def judge(tool, value, answer, counts):
    """What is wrong with an answer; None if nothing is."""
    if "result" not in answer:
        return f"no result but {answer['error']}"
    result = answer["result"]
    text = result["content"][0]["text"]
    if result["isError"] and not re.fullmatch(r"error: .* \(4(00|04|22)\)", text, re.DOTALL):
        return f"not refused, but: {text}"
    if not tool.validator.is_valid({"value": value}):
        counts["refused by both"] += 1
        return None if result["isError"] else f"the schema refuses it, and the daemon accepts it: {text}"
    rule = rules.refusal(tool, value)
    if result["isError"] != bool(rule):
        return f"the schema accepts it, the rule that refuses it is {rule}, and the answer {text}"
    if rule:
        counts[rule] += 1
        return None
    counts["accepted by both"] += 1
    if not tool.output_validator.is_valid(result["structuredContent"]):
        return f"the schema of the output refuses what comes back: {text}"
    given, back = normal(tool, value), normal(tool, result["structuredContent"]["value"])
    if back != given or type(back) is not type(given):
        return f"it comes back as {back!r}"
    return None


def main():
    client = bridge.Bridge(PROGRAM, SOCKET)
    counts = collections.Counter()
    wrong = 0
    for tool in map(Tool, client.tools()):
        values = tool.generated(COUNT) + corpus.values(tool, COUNT)
        # Half of a surrogate pair is no text: no line of JSON in UTF-8 has it.
        values = [value for value in values if not has_surrogate(value)]
        answers = client.call([(tool.name, {"value": value}) for value in values])
        faults = [(value, judge(tool, value, answer, counts)) for value, answer in zip(values, answers)]
        faults = [fault for fault in faults if fault[1]]
        wrong += len(faults)
        for value, fault in faults[:5]:
            print(f"{tool.name} {value!r}: {fault}")
    for what, count in sorted(counts.items()):
        print(f"{count:7} {what}")
    unused = [rule for rule in rules.ALL if rule not in counts]
    if unused:
        print("nothing is refused by these rules:", *unused, sep="\n  ")
    assert client.close() == 0
    sys.exit(1 if wrong or unused else 0)


main()
