#!/usr/bin/env python3
"""Receives as NAME, and answers on the thread that runs a GLib main loop, as programs with windows have to.

    glib_handler.py NAME

asyncio has a thread of its own, and hands each request over to the main loop. It needs python3-gi.
"""
from __future__ import annotations

import asyncio, functools, sys, threading
from concurrent.futures import Future
from typing import Any, Callable

from gi.repository import GLib
from xcallback import Client, Request, Result

client = Client()
loop = GLib.MainLoop()


def on_main_loop(function: Callable[..., Result]) -> Callable[..., Any]:
    """Makes a handler of a function that the main loop is to call. A request that ends before that is not handled."""

    @functools.wraps(function)
    async def handler(*arguments: Any, **captures: Any) -> Result:
        future: Future[Result] = Future()

        def work() -> bool:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function(*arguments, **captures))
                except Exception as error:
                    future.set_exception(error)
            return False  # Once is enough.

        GLib.idle_add(work)
        return await asyncio.wrap_future(future)

    return handler


@client.route("/title/:text")
@on_main_loop
def title(request: Request, text: str) -> Result:
    # Here is the place for window.set_title(text) and the like.
    return {"title": text, "thread": threading.current_thread().name}


def serve(name: str) -> None:
    try:
        asyncio.run(client.serve(name))
    finally:
        GLib.idle_add(loop.quit)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: glib_handler.py NAME")
    server = threading.Thread(target=serve, args=sys.argv[1:], daemon=True)
    server.start()
    loop.run()
    # It cannot serve; the name is unknown, for example. The thread tells why.
    server.join()
    sys.exit(1)
