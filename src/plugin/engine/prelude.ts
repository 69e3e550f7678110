import { GUEST_CONTEXT } from "./guest-context.js";
import { GUEST_GLOBALS } from "./guest-globals.js";
import { GUEST_TESTS } from "./guest-tests.js";
import { DELIVERY, LOG_LEVELS, POST } from "./kinds.js";

/** Bounds and names the prelude works with; handed to it as JSON with the load delivery. */
export interface PreludeConfig {
  /** `group.member` names of host operations. */
  readonly operations: readonly string[];
  readonly maxPostUnits: number;
  readonly maxLogUnits: number;
  readonly maxErrorUnits: number;
  readonly maxStackUnits: number;
  /** Modules may declare tests; without a default export they are tests only. */
  readonly hasTests: boolean;
}

/**
 * Guest code that runs before any plugin code. Evaluates to a function of the host's one `post` function that returns the
 * dispatcher the host calls for each delivery. Neither is ever a global, every primordial is captured first, and all promises
 * live in tables in here, so that the host never holds one. Nothing in here depends on the guest to come, so that its memory can be
 * kept as an image; that arrives with the load delivery.
 */
export const PRELUDE = String.raw`(function (post) {
"use strict";
const D = ${JSON.stringify(DELIVERY)};
const P = ${JSON.stringify(POST)};
const LEVELS = ${JSON.stringify(LOG_LEVELS)};
const { parse, stringify } = JSON;
const { apply } = Reflect;
const { freeze, hasOwn, keys } = Object;
const GuestError = Error, GuestTypeError = TypeError, GuestString = String, GuestPromise = Promise;
const isList = Array.isArray;
const method = (holder, name) => {
  const inner = holder.prototype[name];
  return (self, ...args) => apply(inner, self, args);
};
const then = method(Promise, "then"), slice = method(String, "slice"), split = method(String, "split");
const promiseResolve = Promise.resolve;
const settled = (value) => apply(promiseResolve, GuestPromise, [value]);
const filter = method(Array, "filter"), append = method(Array, "push");
const get = method(Map, "get"), put = method(Map, "set"), drop = method(Map, "delete"), has = method(Map, "has");

const live = new Map();
const pending = new Map();
const attempts = new Map();
let config = { operations: [], maxPostUnits: 0, maxLogUnits: 0, maxErrorUnits: 0, maxStackUnits: 0, hasTests: false };
let plugin;
let lastCall = 0;
let randomState = 0;
const declared = [];

class HostError extends Error {
  constructor(words) {
    super(words.what);
    this.name = "HostError";
    this.code = words.code;
    this.what = words.what;
    this.why = words.why;
    this.next = words.next;
  }
}
const refusal = (code, what, why, next) => new HostError({ code, what, why, next });

const words = (value, max) => {
  try {
    return slice(GuestString(value), 0, max);
  } catch {
    return "(unprintable)";
  }
};
const describe = (error) => {
  const out = { __proto__: null, name: "Error", message: "", stack: "" };
  try {
    if (typeof error !== "object" || error === null) {
      out.message = words(error, config.maxErrorUnits);
    } else {
      out.name = words(error.name, 100);
      out.message = words(error.message, config.maxErrorUnits);
      out.stack = words(error.stack ?? "", config.maxStackUnits);
      if (error instanceof HostError) {
        for (const field of ["code", "what", "why", "next"]) out[field] = words(error[field], config.maxErrorUnits);
      }
    }
  } catch {}
  return stringify(out);
};

const fail = (id, error) => {
  if (drop(live, id)) post(P.threw, id, 0, "", describe(error));
};
const finish = (id, value, text) => {
  if (!has(live, id)) return;
  let json;
  try {
    json = stringify(value);
  } catch (error) {
    return fail(id, new GuestTypeError("the result is not JSON: " + words(error && error.message, 300)));
  }
  if (typeof json !== "string") return fail(id, new GuestTypeError("the result is " + typeof value + ", not JSON"));
  if (json.length + text.length > config.maxPostUnits) {
    return fail(id, new GuestTypeError("the result has " + (json.length + text.length) + " characters of JSON, more than " + config.maxPostUnits + "; return less"));
  }
  drop(live, id);
  post(P.returned, id, 0, text, json);
};

${GUEST_CONTEXT}
const member = (table, kind, name) => {
  const found = table !== undefined && table !== null && hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw new GuestTypeError("the plugin's default export has no " + kind + " " + stringify(name));
  return found;
};

const isPending = (value) => typeof value === "object" && value !== null && typeof value.then === "function";
const setFunction = (name, part) => {
  const set = member(plugin.toolSets, "tool set", name);
  if (typeof set !== "object" || set === null || typeof set[part] !== "function") throw new GuestTypeError("the tool set " + stringify(name) + " has no function " + part);
  return set[part];
};
const run = (id, json, kind) => {
  put(live, id, true);
  try {
    const call = parse(json);
    const { name, set, args } = call;
    const isTool = kind === "tool";
    const found = set ? setFunction(set.name, isTool ? "run" : "command") : member(plugin[kind + "s"], kind, name);
    const value = apply(found, undefined, [set ? { name, target: set.target, args } : args, context(id, call)]);
    // Who runs beside a call may want nothing at all.
    then(settled(value), (output) => finish(id, isTool ? output : output ?? [], ""), (error) => fail(id, error));
  } catch (error) {
    fail(id, error);
  }
};

const offer = (id, json) => {
  put(live, id, true);
  try {
    const { set, source } = parse(json);
    const made = apply(setFunction(set, "offer"), undefined, [source]);
    if (isPending(made)) return fail(id, new GuestTypeError("offer returned a promise; it is synchronous"));
    finish(id, made, "");
  } catch (error) {
    fail(id, error);
  }
};

const AsyncFunction = (async () => {}).constructor;
const evaluate = (id, json) => {
  put(live, id, true);
  try {
    const { source, input } = parse(json);
    const body = new AsyncFunction("input", source);
    then(settled(apply(body, undefined, [input])), (value) => finish(id, value === undefined ? null : value, ""), (error) => fail(id, error));
  } catch (error) {
    fail(id, error);
  }
};

const answer = (id, value) => {
  if (isPending(value)) return fail(id, new GuestTypeError("a provider function returned a promise; provider functions are synchronous"));
  finish(id, value, "");
};
const answerPlan = (id, plan) => {
  if (typeof plan !== "object" || plan === null || typeof plan.body !== "string") return answer(id, plan);
  finish(id, { ...plan, body: null }, plan.body);
};
const PROVIDE = {
  __proto__: null,
  plan: (id, provider, args) => answerPlan(id, provider.plan(args[0])),
  models: (id, provider, args) => answer(id, provider.models ? provider.models(args[0]) : null),
  parseModels: (id, provider, args) => answer(id, provider.parseModels ? provider.parseModels(args[0]) : []),
  fail: (id, provider, args) => answer(id, provider.fail ? provider.fail(args[0], args[1]) : null),
  open: (id, provider, args, attempt) => {
    put(attempts, attempt, { provider, state: provider.open ? provider.open(args[0]) : null });
    finish(id, true, "");
  },
  close: (id, provider, args, attempt) => {
    const { state } = opened(attempt);
    drop(attempts, attempt);
    answer(id, provider.close ? provider.close(args[0], state) : []);
  },
};
const opened = (attempt) => {
  const found = get(attempts, attempt);
  if (found === undefined) throw new GuestError("the decoder of this attempt is gone");
  return found;
};
const provide = (id, attempt, json) => {
  put(live, id, true);
  try {
    const call = parse(json);
    PROVIDE[call.op](id, member(plugin.providers, "provider", call.provider), call.args, attempt);
  } catch (error) {
    fail(id, error);
  }
};
const push = (id, attempt, json) => {
  put(live, id, true);
  try {
    const entry = opened(attempt);
    if (!entry.provider.events) return finish(id, [], "");
    const made = entry.provider.events(parse(json), entry.state);
    if (isPending(made)) return answer(id, made);
    entry.state = made.state;
    finish(id, made.deltas, "");
  } catch (error) {
    fail(id, error);
  }
};

${GUEST_TESTS}

const loadMain = () =>
  then(
    import("plugin:main"),
    (module) => {
      plugin = config.hasTests ? module.default ?? {} : module.default;
      if (typeof plugin !== "object" || plugin === null) {
        return post(P.threw, 0, 0, "", describe(new GuestTypeError("the entry has no default export; write: export default definePlugin({ ... })")));
      }
      post(P.loaded, 0, 0, "", "{}");
    },
    (error) => post(P.threw, 0, 0, "", describe(error)),
  );
const load = (json) => {
  config = parse(json);
  randomState = config.seed;
  if (!config.hasMain) {
    plugin = {};
    return void post(P.loaded, 0, 0, "", "{}");
  }
  if (!config.hasTests) return void loadMain();
  then(import("smith:sdk"), (sdk) => {
    sdk.installTests(declareTest);
    loadMain();
  });
};

const settle = (call, isAnswer, json) => {
  const waiting = get(pending, call);
  if (waiting === undefined) return;
  drop(pending, call);
  if (isAnswer) waiting.resolve(parse(json));
  else waiting.reject(new HostError(parse(json)));
};

${GUEST_GLOBALS}

return (kind, id, extra, json) => {
  switch (kind) {
    case D.load: return load(json);
    case D.tool: return run(id, json, "tool");
    case D.command: return run(id, json, "command");
    case D.handler: return run(id, json, "handler");
    case D.resolve: return settle(id, true, json);
    case D.reject: return settle(id, false, json);
    case D.provider: return provide(id, extra, json);
    case D.push: return push(id, extra, json);
    case D.drop: return void drop(attempts, extra);
    case D.cancel: return void drop(live, id);
    case D.describe: return describePlugin(id);
    case D.tests: return listTests(id);
    case D.test: return runTest(id, json);
    case D.evaluate: return evaluate(id, json);
    case D.offer: return offer(id, json);
    case D.rejection: return void post(P.log, LEVELS.length - 1, 0, "", describe(json));
  }
};
})`;
