"""A client of xcallbackd in one file, to be copied. It needs Python 3.9 or later, and nothing else.

    client = Client()
    note = await client.run("notes", "find", title="Milk & honey", tags=["home", "shop"])

    @client.route("/edit/:id")
    async def edit(request: Request, id: str) -> dict[str, int]:
        return {"length": len(request["parameters"]["text"])}
    await client.serve("editor")

    async for event in client.subscribe("notes.saved"):
        print(event["items"]["id"])
"""
from __future__ import annotations

import asyncio, functools, inspect, json, logging, os, pwd, random, re, socket, struct, time
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Optional, Sequence, TypeVar, Union
from urllib.parse import quote, unquote

Items = dict[str, Union[str, list[str]]]  # What an action gives: a list if a name repeats, [] if it has no value.
Value = Union[str, int, float, Sequence[Union[str, int, float]], None]  # What it takes; None is left out.
Event = dict[str, Any]  # What is published: `topic` and `items`; or only `missed`, the number of events that were lost.
Request = dict[str, Any]  # What is delivered: `parameters`, `url`, `source` and so on, as the interface describes it.
Result = Optional[Mapping[str, Value]]  # What a handler returns.
Handler = TypeVar("Handler", bound=Callable[..., Union[Result, Awaitable[Result]]])


class CallbackError(Exception):
    """The error that a request has ended in. A handler raises one to say what its caller sees."""
    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code, self.message = code, message


class ActionCancelled(Exception):
    """The request was cancelled, for example by a person. A handler may raise it, too."""


class ClientError(Exception):
    """The daemon did not do what it was asked for. The name is that of an error of its interface, or `Unread` (no
    daemon has read the call), `Unanswered` (it went away after that), or `Untrusted` (the socket is another user's)."""
    def __init__(self, name: str, text: str, parameters: Mapping[str, Any] = {}) -> None:
        super().__init__(name, text)
        self.name, self.parameters = name, parameters


class Client:
    """The daemon, as a program asks it: `limit` calls at a time, and more wait in line."""
    def __init__(self, path: Optional[str] = None, limit: int = 16) -> None:
        self._path, self._limit = path, limit
        self._turns: Optional[asyncio.Semaphore] = None
        self._idle: list[Connection] = []
        self._routes: list[tuple[re.Pattern[str], Callable[..., Any]]] = []

    async def run(self, target: str, action: Optional[str] = None, /, **parameters: Value) -> Items:
        """Asks for the answer to a URL, or to a scheme and an action; with parameters."""
        url = target if action is None else f"{target}:/{quote(action.lstrip('/'))}"
        query = "&".join(quote(k, "") + ("" if v is None else "=" + quote(v, "")) for k, v in pairs(parameters))
        answer = await self.call("Open", url=url + ("&" if "?" in url else "?") * bool(query) + query)
        if answer["outcome"] == "cancel":
            raise ActionCancelled
        if answer["outcome"] != "success":
            raise CallbackError(answer.get("code") or 503, answer.get("message") or "Another application answers this.")
        return values(answer["items"])

    def route(self, pattern: str = "*") -> Callable[[Handler], Handler]:
        """Lets a function answer actions such as `/edit/:id` or `/files/*`, unless one before it does. It gets the
        request, and what `:name` stands for as keywords. A function that is not async runs in a thread."""
        text = re.sub(r":(\w+)", r"(?P<\1>[^/]+)", re.escape(quote(pattern, "/:*"))).replace(r"\*", ".*")
        def register(handler: Handler) -> Handler:
            self._routes.append((re.compile(text), handler))
            return handler
        return register

    async def serve(self, name: str, concurrently: int = 4) -> None:
        """Answers what is delivered to a name, up to 64 requests at a time, until it is cancelled."""
        responder = Client(self._path, concurrently)  # Handlers may use up the connections of this one.
        tasks: list[asyncio.Task[Any]] = []
        try:
            async for reply in self._stream("Receive", name=name, prefetch=concurrently):
                tasks = [task for task in tasks if not task.done()]
                if request := reply.get("request"):
                    work = asyncio.create_task(self._handle(request), name=request["id"])
                    tasks += [work, asyncio.create_task(responder._respond(request, work))]
                for task in tasks:
                    if not reply or task.get_name() == reply.get("ended"):  # Requests end with their connection, too.
                        task.cancel()
        finally:
            for task in tasks:
                task.cancel()

    async def subscribe(self, *topics: str) -> AsyncIterator[Event]:
        """Yields what is published to topics."""
        async for reply in self._stream("Subscribe", topics=topics):
            if event := reply.get("event"):
                missed = event.get("missed")
                yield {"missed": missed} if missed else {"topic": event["topic"], "items": values(event["items"])}

    async def _stream(self, method: str, **parameters: Any) -> AsyncIterator[dict[str, Any]]:
        """Yields the replies to a call with many; after a restart of the daemon those to the next, and {} in between."""
        transient, pause = {"LimitReached", "Stopping", "Unanswered", "Unavailable", "Unread"}, 0.0
        while True:
            start = time.monotonic()
            try:
                with Connection(self._path) as connection:
                    yield await connection.call(method, parameters, more=True)
                    # A reload of the configuration may take these away and bring them back.
                    transient |= {"UnknownName", "UnknownTopic"}
                    while True:
                        yield await connection.receive()
            except ClientError as error:
                if error.name not in transient:
                    raise
            yield {}
            pause = 0 if time.monotonic() > start + 1 else min(2 * pause + 0.01, 5)
            await asyncio.sleep(pause * random.uniform(0.5, 1))

    async def _handle(self, request: Request) -> Result:
        for pattern, handler in self._routes:
            if match := pattern.fullmatch(request["action"]):
                call = functools.partial(handler, request, **{k: unquote(v) for k, v in match.groupdict().items()})
                return await (call() if inspect.iscoroutinefunction(handler) else asyncio.to_thread(call))
        raise CallbackError(404, "No route answers this action.")

    async def _respond(self, request: Request, work: asyncio.Task[Result]) -> None:
        await asyncio.wait({work})
        response = failure = {"outcome": "error", "code": 500, "message": "The handler has failed."}
        try:
            response = {"outcome": "success", "items": [{"name": k, "value": v} for k, v in pairs(work.result() or {})]}
        except (ActionCancelled, asyncio.CancelledError):
            response = {"outcome": "cancel"}
        except CallbackError as error:
            response = {"outcome": "error", "code": error.code, "message": error.message}
        except Exception:
            logging.exception("the handler of %s has failed", request["route"])
        try:
            await self.call("Respond", id=request["id"], **response)
        except ClientError as error:
            if error.name not in ("TooLate", "AlreadyAnswered", "UnknownRequest"):
                logging.error("the response to %s cannot be sent: %s", request["route"], error)
                await self.call("Respond", id=request["id"], **failure)

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Calls a method; again, for two seconds, if the call was not read as a whole or is over a limit."""
        self._turns = self._turns or asyncio.Semaphore(self._limit)
        async with self._turns:
            end = time.monotonic() + 2
            while True:
                try:
                    connection = self._idle.pop() if self._idle else Connection(self._path)
                    reply = await connection.call(method, parameters)
                    self._idle.append(connection)
                    return reply
                except ClientError as error:
                    is_too_long = error.parameters.get("name") == "message"
                    if error.name not in ("LimitReached", "Unread") or is_too_long or time.monotonic() > end:
                        raise
                    self._idle.clear()  # They are connected to the same daemon.
                await asyncio.sleep(random.uniform(0, 0.1))


class Connection(socket.socket):
    """A connection to the daemon, for one call at a time. It closes when it is no longer referenced."""
    __del__ = socket.socket.close

    def __init__(self, path: Optional[str]) -> None:
        super().__init__(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        self._input, path = bytearray(), path or socket_path()
        try:
            self.connect(path)
        except (BlockingIOError, ConnectionRefusedError, FileNotFoundError) as error:
            raise ClientError("Unread", f"cannot reach the daemon at '{path}': {error.strerror}") from error
        uid = struct.unpack("iII", self.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
        if uid not in (os.geteuid(), 0) and ("xcallback", uid) not in ((u.pw_name, u.pw_uid) for u in pwd.getpwall()):
            raise ClientError("Untrusted", f"'{path}' is served by uid {uid}, neither you nor root nor 'xcallback'")

    async def call(self, method: str, parameters: dict[str, Any], **mode: bool) -> dict[str, Any]:
        call = {"method": f"org.xcallback.Router.{method}", "parameters": parameters, **mode}
        try:
            await asyncio.get_running_loop().sock_sendall(self, json.dumps(call).encode() + b"\0")
            return await self.receive()
        except BaseException as error:
            self.close()
            if isinstance(error, ConnectionError):  # EPIPE: it could not be sent. ECONNRESET: it was left unread.
                raise ClientError("Unread", "the daemon has gone before it had read the call") from error
            raise

    async def receive(self) -> dict[str, Any]:
        while (end := self._input.find(0)) < 0:
            part = await asyncio.get_running_loop().sock_recv(self, 65536)
            if not part:
                raise ClientError("Unanswered", "the daemon has read the call, and gone before it answered")
            self._input += part
        reply, self._input = json.loads(self._input[:end]), self._input[end + 1 :]
        parameters = reply.get("parameters") or {}
        if "error" in reply:
            text = parameters.get("message") or json.dumps(parameters)
            raise ClientError(reply["error"].rpartition(".")[2], text, parameters)
        return parameters


def socket_path() -> str:
    """The path that is set; else the user's socket if it is there or was a moment ago; else the system's."""
    user = (os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}") + "/xcallbackd"
    is_there = os.path.exists(user + "/socket") or os.path.exists(user) and time.time() - os.path.getmtime(user) < 2
    return os.environ.get("XCALLBACK_SOCKET") or (user if is_there else "/run/xcallbackd") + "/socket"


def pairs(values: Mapping[str, Value]) -> Iterator[tuple[str, Optional[str]]]:
    for name, value in values.items():
        if value in ([], ()):
            yield name, None
        for part in value if isinstance(value, (list, tuple)) else [] if value is None else [value]:
            yield name, str(part).lower() if isinstance(part, bool) else str(part)


def values(items: list[dict[str, Any]]) -> Items:
    lists: dict[str, list[str]] = {}
    for item in items:
        lists.setdefault(item["name"], []).extend([] if item.get("value") is None else [item["value"]])
    return {name: texts[0] if len(texts) == 1 else texts for name, texts in lists.items()}
