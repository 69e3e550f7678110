/**
 * Whether every license a package needs is expected. An SPDX expression is words with `AND`, `OR` and parentheses; a license `WITH` an
 * exception is judged as the license. What cannot be read is not expected.
 */
export function isExpected(expression: string, allowed: ReadonlySet<string>): boolean {
  const tokens = expression.match(/[()]|[^\s()]+/gu) ?? [];
  const reading: Reading = { tokens, at: 0, allowed };
  const value = either(reading);
  return value === true && reading.at === tokens.length;
}

interface Reading {
  readonly tokens: readonly string[];
  readonly allowed: ReadonlySet<string>;
  at: number;
}

/** `undefined`: not an expression. */
type Verdict = boolean | undefined;

function either(reading: Reading): Verdict {
  let value = both(reading);
  while (take(reading, "OR")) value = join(value, both(reading), (left, right) => left || right);
  return value;
}

function both(reading: Reading): Verdict {
  let value = one(reading);
  while (take(reading, "AND")) value = join(value, one(reading), (left, right) => left && right);
  return value;
}

function one(reading: Reading): Verdict {
  if (take(reading, "(")) {
    const value = either(reading);
    return take(reading, ")") ? value : undefined;
  }
  const name = reading.tokens[reading.at];
  if (name === undefined || /^(?:AND|OR|WITH|\))$/iu.test(name)) return undefined;
  reading.at += 1;
  if (take(reading, "WITH")) reading.at += 1;
  // `GPL-2.0+` means that version or a later one.
  return reading.allowed.has(name.replace(/\+$/u, "").toLowerCase());
}

function take(reading: Reading, word: string): boolean {
  if (reading.tokens[reading.at]?.toUpperCase() !== word) return false;
  reading.at += 1;
  return true;
}

const join = (left: Verdict, right: Verdict, rule: (left: boolean, right: boolean) => boolean): Verdict =>
  left === undefined || right === undefined ? undefined : rule(left, right);
