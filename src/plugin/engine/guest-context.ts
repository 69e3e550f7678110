/**
 * The part of the prelude that makes the context of an invocation: every host operation as a function of its group, a few of
 * them in a handier form, and what is said to people without an answer. The same for a real call and for a test with answers
 * of its own. Runs inside the prelude's function.
 */
export const GUEST_CONTEXT = String.raw`
const callHost = (id, operation, input) =>
  new GuestPromise((resolve, reject) => {
    if (!has(live, id)) {
      return reject(refusal("plugin.settled", operation + " was called after its call had settled", "a context is only good until its call settles", "await every host operation before the function returns"));
    }
    let json;
    try {
      json = stringify(input === undefined ? {} : input);
    } catch {}
    if (typeof json !== "string") {
      return reject(refusal("plugin.call-input", "the input of " + operation + " is not JSON", "only JSON crosses to the host", "pass plain objects, strings, numbers and booleans"));
    }
    if (json.length > config.maxPostUnits) {
      return reject(refusal("plugin.call-size", "the input of " + operation + " has " + json.length + " characters of JSON", "one message to the host may have " + config.maxPostUnits, "send it in parts"));
    }
    lastCall += 1;
    const call = lastCall;
    put(pending, call, { resolve, reject });
    const answer = post(P.call, call, id, operation, json);
    if (answer !== undefined) {
      drop(pending, call);
      reject(refusal("plugin.call-credit", operation + " was refused: too many host operations at once", "a plugin may have 64 calls and 4 MiB of inputs in the air", "await earlier operations before starting more"));
    }
  });

const emitText = (value) => words(value, config.maxErrorUnits);
const emit = (id, type, payload) => {
  if (has(live, id)) post(P.emit, id, 0, type, stringify(payload));
};

const field = (promise, name) => then(promise, (answer) => answer[name]);
const nothing = (promise) => then(promise, () => undefined);
const HANDIER = {
  __proto__: null,
  "state.get": (ask) => (key) => field(ask({ key }), "value"),
  "state.put": (ask) => (key, value) => nothing(ask({ key, value })),
  "state.delete": (ask) => (key) => nothing(ask({ key })),
  "ui.ask": (ask) => (input) => field(ask(input), "text"),
  "ui.choose": (ask) => (input) => field(ask(input), "values"),
  "ui.confirm": (ask) => (input) => field(ask(input), "yes"),
  "clock.sleep": (ask) => (ms) => nothing(ask({ ms })),
  "clock.now": (ask) => () => field(ask({}), "now"),
  "secrets.keep": (ask) => (name, value) => field(ask({ name, value }), "reference"),
  "process.jobs": (ask) => () => field(ask({}), "jobs"),
  "mcp.servers": (ask) => () => field(ask({}), "servers"),
  "mcp.reconnect": (ask) => (server) => ask({ server }),
  "tools.searchable": (ask) => () => field(ask({}), "tools"),
  "entropy.bytes": (ask) => (count) => field(ask({ count }), "base64"),
};

const makeContext = (call, ask, say) => {
  const made = { cwd: call.cwd, now: call.now, config: freeze(call.config ?? {}) };
  for (const name of ["invocation", "values", "item"]) if (hasOwn(call, name)) made[name] = freeze(call[name]);
  for (const operation of config.operations) {
    const [group, name] = split(operation, ".");
    if (!hasOwn(made, group)) made[group] = {};
    const plain = (input) => ask(operation, input);
    made[group][name] = HANDIER[operation] ? HANDIER[operation](plain) : plain;
  }
  if (hasOwn(made, "ui")) {
    made.ui.notify = (text, role) => say("notify", { text: emitText(text), role });
    made.ui.status = (key, text, role) => say("status", { key: emitText(key), text: emitText(text), role });
    made.ui.progress = (text) => say("progress", { text: emitText(text) });
  }
  if (hasOwn(made, "state")) made.state.former = (key) => then(ask("state.get", { key }), (answer) => answer.former ?? null);
  for (const name of keys(made)) freeze(made[name]);
  return freeze(made);
};
const context = (id, call) => makeContext(call, (operation, input) => callHost(id, operation, input), (type, payload) => emit(id, type, payload));
`;
