#!/usr/bin/env python3
"""Receives as `words` with the package varlink of PyPI: counts the words of a text.

    words.py SOCKET
"""
import sys

import varlink


def answer(request):
    text = request["parameters"].get("text", "")
    if not text.strip():
        return {"outcome": "error", "code": 422, "message": "There is nothing to count."}
    return {"outcome": "success", "items": [{"name": "words", "value": str(len(text.split()))}]}


def main(path):
    client = varlink.Client.new_with_address("unix:" + path)
    # Requests come on one connection, responses go over another.
    with client.open("org.xcallback.Router") as requests, client.open("org.xcallback.Router") as responses:
        for reply in requests.Receive("words", _more=True):
            if reply.get("ended"):
                # Whoever asked has left, or the time is over: nothing to do here, as each request is answered at once.
                continue
            request = reply.get("request")
            if request is None:
                print("receiving", flush=True)
                continue
            try:
                responses.Respond(id=request["id"], **answer(request))
            except varlink.VarlinkError as error:
                # Too late, for example: whoever asked has an answer by now.
                print(error.error(), file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except varlink.VarlinkError as error:
        # The daemon stops, for example; whoever wants to go on connects again.
        sys.exit(error.error())
