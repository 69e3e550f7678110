/** The same value with every string of it concealed; names of members stay. Of a shape that JSON can have, as deep as its reader let it be. */
export function concealed<Value>(value: Value, conceal: (text: string) => string): Value {
  // Strings stay strings and structures stay structures, so what comes back has the type of what was given.
  return within(value, conceal) as Value;
}

function within(value: unknown, conceal: (text: string) => string): unknown {
  if (typeof value === "string") return conceal(value);
  if (Array.isArray(value)) return value.map((item) => within(item, conceal));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, within(item, conceal)]));
}
