"""What the tests do with the client for Python: scenarios.py SCENARIO [ACTION...]. 'scenarios.mjs' does the same."""
import asyncio, itertools, signal, sys

from xcallback import ActionCancelled, CallbackError, Client, ClientError

client = Client()
background = []


def serve(handler, **options):
    """Serves until the scenario ends."""
    client.route()(handler)
    background.append(asyncio.create_task(client.serve("app", **options)))


def show(value, expected):
    print("equal" if value == expected else f"{value} instead of {expected}")


async def end(name, call):
    try:
        await call
        print(name, "succeeded")
    except asyncio.TimeoutError:
        print(name, "timeout")
    except ActionCancelled:
        print(name, "cancelled")
    except CallbackError as error:
        print(name, error.code, error.message)
    except ClientError as error:
        print(name, error.name)


async def values():
    @client.route("/app/é & %/:one-:two")
    def captures(request, one, two):
        return {"one": one, "two": two}

    serve(lambda request: {k: v for k, v in request["parameters"].items() if k != "path"})
    given = {
        "text": "é&=%\n+ #?/\\\"'\t😀", "empty": "", "list": ["", "a,b", "&"], "none": [], "yes": True, "no": False,
        "number": 1.5, "left out": None, "one": ["1"], "self": "a", "ключ&=": "ü",
    }
    expected = {**given, "yes": "true", "no": "false", "number": "1.5", "one": "1"}
    del expected["left out"]
    for target in [("n:/app/any",), ("n", "app/a?b"), ("n", "/app/a")]:
        assert await client.run(*target, **given) == expected
    assert await client.run("n", "app/é & %/ä%2F-b") == {"one": "ä%2F", "two": "b"}
    show(await client.run("n:/app/any", **given), expected)
    show(await client.run("n:/app/any?a=1", a=2, b=3), {"a": ["1", "2"], "b": "3"})
    show(await client.run("n:/app/any"), {})


async def typed():
    async def add(request):
        parameters = request["parameters"]
        return {"sum": parameters["id"] + 1, "done": parameters["done"] is True}

    serve(add)
    print((await client.run("n:/typed/7", done=True))["sum"])


async def ends():
    def refuse():
        raise CallbackError(4711, "Nöt & today")

    def cancel():
        raise ActionCancelled

    handlers = {
        "refuse": refuse, "cancel": cancel, "fail": lambda: {"a": 1 / 0}, "nul": lambda: {"a": "\0"},
        "name": lambda: {"x-success": "a"},
    }
    serve(lambda request: handlers[request["action"].split("/")[2]]())
    for name in handlers:
        await end(name, client.run(f"n:/app/{name}"))
    await end("none", client.run("n:/none"))
    await end("gone", client.run("n:/gone"))
    await end("long", client.run("n:/echo", v="a" * 100_000))
    await end("longer", client.run("n:/echo", v="a" * 2_000_000))
    await end("slow", asyncio.wait_for(client.run("n:/slow"), 0.1))
    await end("nobody", client.serve("nobody"))
    await end("nowhere", Client("/nowhere/socket").run("n:/echo"))


async def many():
    async def double(request):
        v = request["parameters"]["v"]
        if request["action"] == "/app/once":
            return {"v": v}
        # What handlers ask for must not use up what the responses need.
        return {"v": (await client.run("n:/app/once", v=v))["v"] * 2}

    serve(double, concurrently=64)
    other = Client()
    answers = await asyncio.gather(*(other.run("n:/app/twice", v=v) for v in range(500)))
    show(answers, [{"v": f"{v}{v}"} for v in range(500)])


async def wait():
    async def sleep(request):
        if request["action"] == "/app/ping":
            return {}
        print("begun", request["action"])
        try:
            await asyncio.sleep(3600)
        finally:
            print("cancelled", request["action"])

    serve(sleep, concurrently=1)
    await asyncio.gather(*background)


async def events():
    async for event in client.subscribe("t.one", "t.two"):
        print("missed" if "missed" in event else f"{event['topic']} {event['items']['v']}")


async def load():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    numbers, answered, handled = itertools.count(1), itertools.count(1), set()

    async def once(request):
        v = request["parameters"]["v"]
        if v in handled:
            print("\ntwice")
        handled.add(v)
        return {"v": v}

    async def ask(action):
        while True:
            v = str(next(numbers))
            try:
                answer = await client.run(f"n:/{action}", v=v)
                if v not in answer.values():
                    print("\n", answer, v)
            except ClientError as error:
                print("\n", error.name)
            except CallbackError as error:
                print("\n", error)
            if next(answered) % 50 == 0:
                print(end=".")

    serve(once, concurrently=8)
    background.extend(asyncio.create_task(ask(action)) for action in sys.argv[2:] * 8)
    await stop.wait()


async def cut():
    await end("unread", client.run("n:/echo"))
    await end("unanswered", client.run("n:/echo"))


async def untrusted():
    await end("untrusted", client.run("n:/secret"))


async def main():
    await globals()[sys.argv[1]]()
    for task in background:
        task.cancel()
    await asyncio.gather(*background, return_exceptions=True)


asyncio.run(main())
