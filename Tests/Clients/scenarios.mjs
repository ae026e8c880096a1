// What the tests do with the client for Node: scenarios.mjs CLIENT SCENARIO [ACTION...]. 'scenarios.go' does the same.

const [file, scenario, ...actions] = process.argv.slice(2);
const { ActionCancelled, CallbackError, Client } = await import(file);

let client = new Client();
const stop = new AbortController();
const { signal } = stop;

/** Serves until the scenario ends. */
function serve(handler, options = {}) {
  client.serve("app", handler, { signal, ...options }).catch((error) => {
    if (!signal.aborted) throw error;
  });
}

const scenarios = {
  async values() {
    serve(({ parameters: { path, ...rest } }) => rest);
    const values = {
      text: "é&=%\n+ #?/\\\"'\t😀", empty: "", list: ["", "a,b", "&"], none: [], yes: true, no: false, number: 1.5,
      "left out": undefined, missing: null, one: ["1"], self: "a", "ключ&=": "ü",
    };
    const { "left out": _, missing: __, ...expected } = { ...values, yes: "true", no: "false", number: "1.5", one: "1" };
    print(await client.run("n:/app/any", values), expected);
    print(await client.run("n:/app/any?a=1", { a: 2, b: 3 }), { a: ["1", "2"], b: "3" });
    print(await client.run("n:/app/any"), {});
    stop.abort();
  },

  async typed() {
    serve(({ parameters: { id, done } }) => ({ sum: id + 1, done: done === true }));
    console.log((await client.run("n:/typed/7", { done: true })).sum);
    stop.abort();
  },

  async ends() {
    const ends = {
      refuse() { throw new CallbackError(4711, "Nöt & today"); },
      async cancel() { throw new ActionCancelled(); },
      async fail() { return null.a; },
      nul: () => ({ a: "\0" }),
      name: () => ({ "x-success": "a" }),
    };
    serve(({ action }) => ends[action.split("/")[2]]());
    for (const name of Object.keys(ends)) await end(name, client.run(`n:/app/${name}`));
    await end("none", client.run("n:/none"));
    await end("gone", client.run("n:/gone"));
    await end("long", client.run("n:/echo", { v: "a".repeat(100_000) }));
    await end("longer", client.run("n:/echo", { v: "a".repeat(2_000_000) }));
    const signal = AbortSignal.timeout(100);
    await end("slow", client.run("n:/slow", {}, { signal }));
    // A signal that has fired ends a call that would have to wait for its turn.
    const one = new Client({ limit: 1 });
    const busy = one.run("n:/slow", {}, { signal: AbortSignal.timeout(2000) }).catch(() => "later");
    const late = one.run("n:/slow", {}, { signal }).catch((error) => error.name);
    if ((await Promise.race([busy, late])) !== "TimeoutError") console.log("a fired signal waits");
    await busy;
    await end("nobody", client.serve("nobody", () => {}));
    await end("nowhere", new Client({ path: "/nowhere/socket" }).run("n:/echo"));
    stop.abort();
  },

  async many() {
    client = new Client({ limit: 1 });
    serve(async ({ action, parameters: { v } }) => {
      if (action === "/app/once") return { v };
      // What handlers ask for must not use up what the responses need.
      const inner = await client.run("n:/app/once", { v });
      return { v: inner.v + inner.v };
    }, { concurrently: 64 });
    const other = new Client();
    const numbers = [...Array(500).keys()];
    const answers = await Promise.all(numbers.map((v) => other.run("n:/app/twice", { v })));
    print(answers, numbers.map((v) => ({ v: `${v}${v}` })));
    stop.abort();
  },

  async wait() {
    serve(async ({ action }, wanted) => {
      if (action === "/app/ping") return {};
      console.log("begun", action);
      wanted.addEventListener("abort", () => console.log("cancelled", action));
      await new Promise(() => {});
    }, { concurrently: 1 });
  },

  async events() {
    for await (const { topic, items, missed } of client.subscribe(["t.one", "t.two"])) {
      console.log(missed ? "missed" : `${topic} ${items.v}`);
    }
  },

  async load() {
    process.once("SIGTERM", () => stop.abort());
    const handled = new Set();
    serve(({ parameters: { v } }) => {
      if (handled.has(v)) console.log("twice");
      handled.add(v);
      return { v };
    }, { concurrently: 8 });
    let number = 0, answers = 0;
    await Promise.all(Array(8).fill(actions).flat().map(async (action) => {
      while (!signal.aborted) {
        const v = String(++number);
        try {
          const answer = await client.run(`n:/${action}`, { v });
          if (!Object.values(answer).includes(v)) console.log(answer, v);
        } catch (error) {
          if (!signal.aborted) console.log(error.code);
        }
        if (++answers % 50 === 0) process.stdout.write(".");
      }
    }));
  },

  async cut() {
    await end("unread", client.run("n:/echo"));
    await end("unanswered", client.run("n:/echo"));
  },

  async untrusted() {
    await end("untrusted", client.run("n:/secret"));
  },
};

function print(value, expected) {
  const isEqual = JSON.stringify(value) === JSON.stringify(expected);
  console.log(isEqual ? "equal" : `${JSON.stringify(value)} instead of ${JSON.stringify(expected)}`);
}

async function end(name, promise) {
  await promise.then(
    () => console.log(name, "succeeded"),
    (error) => {
      if (error.name === "TimeoutError") console.log(name, "timeout");
      else if (error instanceof ActionCancelled) console.log(name, "cancelled");
      else console.log(name, error.code, ...(error instanceof CallbackError ? [error.message] : []));
    });
}

await scenarios[scenario]();
