// A client of xcallbackd in one file, to be copied. It needs Node 18 or later, and nothing else.
//
//     const client = new Client();
//     const note = await client.run("notes:/find", { title: "Milk & honey", tags: ["home", "shop"] });
//
//     await client.serve("editor", async (request) => ({ length: request.parameters.text.length }));
//
//     for await (const event of client.subscribe("notes.saved")) console.log(event.items.id);
//
// Values of an action are texts, a list if a name repeats, and [] if it has no value. What it takes may also be numbers
// and bools; null and undefined are left out. Each method has an option `signal`, an AbortSignal, for a timeout.

import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The error that a request has ended in. A handler throws one to say what its caller sees. */
export class CallbackError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** The request was cancelled, for example by a person. A handler may throw it, too. */
export class ActionCancelled extends Error {}

/** The daemon did not do what it was asked for. The code is the name of an error of its interface, or 'Unread' (no daemon
 * has read the call), 'Unanswered' (it went away after that), or 'Untrusted' (the socket is another user's). */
export class ClientError extends Error {
  constructor(code, message, parameters = {}) {
    super(message);
    Object.assign(this, { code, parameters });
  }
}

/** The daemon, as a program asks it: `limit` calls at a time, and more wait in line. */
export class Client {
  #path;
  #free;
  #line = [];

  constructor({ path, limit = 16 } = {}) {
    this.#path = path;
    this.#free = limit;
  }

  /** Asks for the answer to a URL with parameters. */
  async run(url, parameters = {}, { signal } = {}) {
    const query = items(parameters).map(({ name, value }) =>
      encodeURIComponent(name) + (value === undefined ? "" : "=" + encodeURIComponent(value)));
    if (query.length > 0) url += (url.includes("?") ? "&" : "?") + query.join("&");
    const answer = await this.call("Open", { url }, { signal });
    if (answer.outcome === "cancel") throw new ActionCancelled("the request was cancelled");
    if (answer.outcome === "redirect") throw new CallbackError(503, "Another application answers this.");
    if (answer.outcome === "error") throw new CallbackError(answer.code, answer.message);
    return values(answer.items);
  }

  /** Answers what is delivered to a name, up to `concurrently` requests at a time, at most 64. The handler gets the request
   * as the interface describes a 'Delivery', and a signal that aborts when nobody waits for the answer anymore. */
  async serve(name, handler, { concurrently = 4, signal } = {}) {
    const running = new Map();
    const abortAll = () => running.forEach((controller) => controller.abort());
    try {
      for await (const { request, ended } of this.#stream("Receive", { name, prefetch: concurrently }, signal)) {
        if (request) {
          running.set(request.id, new AbortController());
          this.#handle(request, handler, running.get(request.id).signal).finally(() => running.delete(request.id));
        } else if (ended) {
          running.get(ended)?.abort();
        } else {
          abortAll(); // Requests end with their connection.
        }
      }
    } finally {
      abortAll();
    }
  }

  /** Yields what is published to a topic or a list of topics: { topic, items }. After lost events, { missed } has their
   * number. */
  async *subscribe(topics, { signal } = {}) {
    for await (const { event } of this.#stream("Subscribe", { topics: [topics].flat() }, signal)) {
      if (event?.missed) yield { missed: event.missed };
      else if (event) yield { topic: event.topic, items: values(event.items) };
    }
  }

  /** Calls a method; again, for two seconds, if the call was not read as a whole or is over a limit. */
  async call(method, parameters = {}, { signal } = {}) {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    try {
      return await this.#repeat(method, parameters, signal);
    } finally {
      if (this.#line.length > 0) this.#line.shift()();
      else this.#free += 1;
    }
  }

  #turn(signal) {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line.splice(this.#line.indexOf(turn), 1);
        reject(signal.reason);
      };
      const turn = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      this.#line.push(turn);
      signal?.addEventListener("abort", leave);
    });
  }

  async #repeat(method, parameters, signal) {
    const end = performance.now() + 2000;
    for (;;) {
      try {
        for await (const reply of this.#replies({ method, parameters }, signal)) return reply;
      } catch (error) {
        const isTooLong = error.code === "LimitReached" && error.parameters.name === "message";
        if (!["LimitReached", "Unread"].includes(error.code) || isTooLong || performance.now() > end) throw error;
      }
      await pause(100 * Math.random(), signal);
    }
  }

  async #handle(request, handler, signal) {
    const failure = { outcome: "error", code: 500, message: "The handler has failed." };
    const respond = (response) => this.#repeat("Respond", { id: request.id, ...response });
    let response = failure;
    try {
      const ending = once(signal, "abort").then(() => { throw new ActionCancelled(); });
      const working = Promise.resolve().then(() => handler(request, signal));
      response = { outcome: "success", items: items((await Promise.race([working, ending])) ?? {}) };
    } catch (error) {
      if (error instanceof ActionCancelled || signal.aborted) response = { outcome: "cancel" };
      else if (error instanceof CallbackError) response = { outcome: "error", code: error.code, message: error.message };
      else console.error(`the handler of ${request.route} has failed:`, error);
    }
    try {
      await respond(response);
    } catch (error) {
      if (["TooLate", "AlreadyAnswered", "UnknownRequest"].includes(error.code) || signal.aborted) return;
      console.error(`the response to ${request.route} cannot be sent: ${error.message}`);
      await respond(failure).catch(() => {});
    }
  }

  /** Yields the replies to a call with many; after a restart of the daemon those to the next call, and {} in between. */
  async *#stream(method, parameters, signal) {
    const transient = new Set(["LimitReached", "Stopping", "Unanswered", "Unavailable", "Unread"]);
    for (let delay = 0; ;) {
      const start = performance.now();
      try {
        for await (const reply of this.#replies({ method, parameters, more: true }, signal)) {
          // A reload of the configuration may take these away and bring them back.
          transient.add("UnknownName").add("UnknownTopic");
          yield reply;
        }
      } catch (error) {
        if (!transient.has(error.code)) throw error;
      }
      yield {};
      delay = performance.now() > start + 1000 ? 0 : Math.min(2 * delay + 10, 5000);
      await pause(delay * (0.5 + Math.random() / 2), signal);
    }
  }

  /** Connects, sends a call, and yields its replies. */
  async *#replies(call, signal) {
    const path = this.#path ?? socketPath();
    let socket, isSent = false, text = "";
    try {
      checkOwner(path);
      socket = connect({ path, signal }).setEncoding("utf8");
      const message = JSON.stringify({ ...call, method: `org.xcallback.Router.${call.method}` }) + "\0";
      socket.write(message, (error) => { isSent = !error; });
      for await (const part of socket) {
        const messages = (text + part).split("\0");
        text = messages.pop();
        for (const { error, parameters } of messages.map((message) => JSON.parse(message))) {
          if (error) throw refusal(error, parameters ?? {});
          yield parameters ?? {};
        }
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (["EAGAIN", "ECONNREFUSED", "ENOENT"].includes(error.code)) {
        throw new ClientError("Unread", `cannot reach the daemon at '${path}': ${error.code}`);
      }
      // EPIPE: it could not be sent. ECONNRESET: it was left unread.
      if (!["EPIPE", "ECONNRESET"].includes(error.code)) throw error;
      isSent = false;
    } finally {
      socket?.destroy();
    }
    if (!isSent) throw new ClientError("Unread", "the daemon has gone before it had read the call");
    throw new ClientError("Unanswered", "the daemon has read the call, and gone before it answered");
  }
}

/** The path that is set; else the user's socket if it is there or was a moment ago; else the system's. */
function socketPath() {
  const user = `${process.env.XDG_RUNTIME_DIR || `/run/user/${process.geteuid()}`}/xcallbackd`;
  const isThere = existsSync(`${user}/socket`) || (existsSync(user) && Date.now() - statSync(user).mtimeMs < 2000);
  return process.env.XCALLBACK_SOCKET || `${isThere ? user : "/run/xcallbackd"}/socket`;
}

/** Node cannot ask which user is at the other end, but the file says who has made the socket. */
function checkOwner(path) {
  const { uid } = statSync(path);
  if (uid === process.geteuid() || uid === 0) return;
  if (!readFileSync("/etc/passwd", "utf8").split("\n").some((line) => line.startsWith(`xcallback:x:${uid}:`))) {
    throw new ClientError("Untrusted", `'${path}' belongs to uid ${uid}, neither you nor root nor 'xcallback'`);
  }
}

function refusal(error, parameters) {
  return new ClientError(error.split(".").pop(), parameters.message ?? `${error} ${JSON.stringify(parameters)}`, parameters);
}

async function pause(milliseconds, signal) {
  await sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
}

function items(values) {
  return Object.entries(values).flatMap(([name, value]) =>
    Array.isArray(value) && value.length === 0 ? [{ name }]
      : [value ?? []].flat().map((part) => ({ name, value: String(part) })));
}

function values(items) {
  const lists = new Map();
  for (const { name, value } of items) lists.set(name, (lists.get(name) ?? []).concat(value ?? []));
  return Object.fromEntries([...lists].map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}
