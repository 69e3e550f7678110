/**
 * The part of the prelude that describes a plugin and runs its tests: the names of what it exports, the tests its modules
 * declared with `test`, and what such a test gets: a context whose operations the host lets through or refuses and the test
 * answers. Runs inside the prelude's function.
 */
export const GUEST_TESTS = String.raw`
const functionsOf = (table) =>
  typeof table === "object" && table !== null ? filter(keys(table), (name) => typeof table[name] === "function") : [];
const describePlugin = (id) => {
  put(live, id, true);
  try {
    const providers = typeof plugin.providers === "object" && plugin.providers !== null ? plugin.providers : {};
    finish(id, {
      tools: functionsOf(plugin.tools),
      commands: functionsOf(plugin.commands),
      handlers: functionsOf(plugin.handlers),
      toolSets: typeof plugin.toolSets === "object" && plugin.toolSets !== null ? filter(keys(plugin.toolSets), (name) => typeof plugin.toolSets[name]?.offer === "function" && typeof plugin.toolSets[name].run === "function") : [],
      providers: filter(keys(providers), (name) => typeof providers[name]?.plan === "function"),
    }, "");
  } catch (error) {
    fail(id, error);
  }
};

// Keys in order, so that two objects of the same content are the same text.
const ordered = (value) => {
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map(ordered);
  const made = {};
  for (const name of keys(value).sort()) made[name] = ordered(value[name]);
  return made;
};
const plainText = (value) => {
  const json = stringify(value);
  return json === undefined ? GuestString(value) : stringify(ordered(parse(json)));
};
const shortText = (value) => words(plainText(value), 1000);
// The host says first whether the manifest lets the plugin ask for it, and how it reads the input.
const answered = (id, answers, operation, input) =>
  then(callHost(id, operation, input), (read) => {
    if (hasOwn(answers, operation)) return answers[operation](read);
    throw refusal("grant.denied", operation + " is not granted to this test", "the test gave no answer for it", "pass one: t.context({ " + stringify(operation) + ": (input) => ... })");
  });
const eventOf = ({ events, items }, type, fields) => {
  if (!hasOwn(events, type)) throw new GuestTypeError("there is no event " + shortText(type) + "; there are " + keys(events));
  const event = { ...events[type], ...fields, type };
  for (const name of keys(items)) {
    if (!isList(event[name])) continue;
    const { id, item } = items[name];
    event[name] = event[name].map((given, index) => ({ [id]: itemId(index), ...item, ...given }));
  }
  return parse(stringify(event));
};
const itemId = (index) => "00000000-0000-7000-8000-" + slice("00000000000" + (index + 1), -12);
const testContext = (id, tables) => ({
  equal(actual, expected, message) {
    const [left, right] = [plainText(actual), plainText(expected)];
    if (left !== right) throw new GuestError((message ? message + ": " : "") + "got " + shortText(actual) + ", expected " + shortText(expected));
  },
  ok(value, message) {
    if (!value) throw new GuestError(message ?? "expected something true, got " + words(value, 1000));
  },
  event: (type, fields) => eventOf(tables, type, fields),
  actions: (event, actions) =>
    then(settled(actions), (given) => then(callHost(id, "test.actions", { event, actions: given ?? [] }), () => given ?? [])),
  context: (answers = {}, given = {}) =>
    makeContext(
      { cwd: "/workspace", now: 0, config: given.config ?? {}, values: given.values ?? {}, invocation: "00000000-0000-7000-8000-000000000000" },
      (operation, input) => answered(id, answers, operation, input),
      (type, payload) => emit(id, type, payload),
    ),
});
const runTest = (id, json) => {
  put(live, id, true);
  try {
    const { test, ...tables } = parse(json);
    const { body } = declared[test];
    then(settled(apply(body, undefined, [testContext(id, tables)])), () => finish(id, true, ""), (error) => fail(id, error));
  } catch (error) {
    fail(id, error);
  }
};
const listTests = (id) => {
  put(live, id, true);
  finish(id, declared.map(({ name }) => name), "");
};
// Called by the built-in module of tests; in any other guest there is none.
const declareTest = (name, body) => {
  if (typeof name !== "string" || typeof body !== "function") throw new GuestTypeError("test takes a name and a function");
  append(declared, { name: words(name, 200), body });
};
`;
