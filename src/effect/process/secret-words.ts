import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { EffectContext } from "../types.js";
import { type FoundSecret, secretMisplaced, secretProblem, type SecretVault } from "../secrets/index.js";

/** How a shell reads one place of a command line. */
type Quoting =
  | { readonly type: "bare" | "double" | "single" | "comment" }
  /** What stands there is not the value, or not exactly; `where` completes "cannot be put". */
  | { readonly type: "unsure"; readonly where: string };

/** A command line without values in it, and the variables that bring them. */
export interface PlacedSecrets {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly values: readonly string[];
}

interface Placing extends FoundSecret {
  readonly at: number;
}

const INSTEAD = 'Put it into a variable first, at the beginning of the command: VALUE={secret:NAME}; then use "$VALUE".';

/**
 * Puts variables in place of the references of a command line, quoted as their place in it wants: the shell then makes exactly the
 * value of them, and it is in no argument of the shell and in no title. Refused where that cannot be known.
 */
export function placeSecrets(
  command: string,
  asker: Pick<EffectContext, "plugin" | "grants">,
  vault: SecretVault,
): Result<PlacedSecrets, Diagnostic> {
  const placings: Placing[] = [];
  vault.fill(command, (found, at) => {
    placings.push({ ...found, at });
    return undefined;
  });
  const [first] = placings;
  if (first === undefined) return ok({ command, env: {}, values: [] });
  // With fewer grants a command is checked word by word, and a value is no word that was seen.
  if (!asker.grants.process.includes("*"))
    return err(secretMisplaced(first.name, "into a command of this plugin", "Hand it over in env, under a name of your own."));
  const quotings = quotingsOf(command, placings);
  const env: Record<string, string> = {};
  let placed = "";
  let from = 0;
  for (const [index, { at, reference, text, name, ...rest }] of placings.entries()) {
    const quoting = quotings[index] ?? { type: "unsure", where: "there" };
    if (quoting.type === "comment") continue;
    const problem = secretProblem({ reference, text, name, ...rest }, asker);
    if (problem !== undefined) return err(problem);
    if (quoting.type === "unsure") return err(secretMisplaced(name, quoting.where, INSTEAD));
    if (text.includes("\0")) return err(secretMisplaced(name, "into a command, as it holds a NUL", "Hand it over on stdin."));
    const variable = `SMITH_SECRET_${String(index + 1)}`;
    env[variable] = text;
    placed += command.slice(from, at) + EXPANSIONS[quoting.type](variable);
    from = at + reference.length;
  }
  return ok({ command: placed + command.slice(from), env, values: Object.values(env) });
}

const EXPANSIONS: Readonly<Record<"bare" | "double" | "single", (variable: string) => string>> = {
  bare: (variable) => `"$${variable}"`,
  double: (variable) => `\${${variable}}`,
  single: (variable) => `'"$${variable}"'`,
};

type Frame = "code" | "group" | "double" | "single" | "ansi" | "backtick" | "brace";

const UNSURE: Readonly<Partial<Record<Frame, string>>> = {
  ansi: "into a text of the form $'…'",
  backtick: "between backticks",
  brace: "into ${…}",
};

/** Reads a command line as a POSIX shell and bash do, as far as quoting goes. */
function quotingsOf(command: string, placings: readonly Placing[]): readonly Quoting[] {
  const reader = new QuotingReader(command);
  return placings.map(({ at, reference }) => {
    reader.readTo(at);
    const quoting = reader.quoting();
    reader.skipTo(at + reference.length);
    return quoting;
  });
}

const OPENING: Readonly<Partial<Record<string, Frame>>> = { "'": "single", '"': "double", "(": "group" };
const CLOSING: Readonly<Partial<Record<string, Frame>>> = { ")": "group", "}": "brace" };

class QuotingReader {
  readonly #command: string;
  readonly #frames: Frame[] = ["code"];
  #at = 0;
  #isEscaped = false;
  #isComment = false;
  #hasHereDocument = false;

  constructor(command: string) {
    this.#command = command;
  }

  readTo(end: number): void {
    while (this.#at < end) this.#step();
  }

  skipTo(end: number): void {
    this.#at = Math.max(this.#at, end);
    this.#isEscaped = false;
  }

  quoting(): Quoting {
    if (this.#isComment) return { type: "comment" };
    if (this.#isEscaped) return { type: "unsure", where: "behind a backslash" };
    const unsure = this.#frames.map((frame) => UNSURE[frame]).find((where) => where !== undefined);
    if (unsure !== undefined) return { type: "unsure", where: unsure };
    if (this.#hasHereDocument) return { type: "unsure", where: "behind the beginning of a here-document" };
    const top = this.#top();
    return { type: top === "double" || top === "single" ? top : "bare" };
  }

  #top(): Frame {
    return this.#frames.at(-1) ?? "code";
  }

  #step(): void {
    const mark = this.#command[this.#at] ?? "";
    this.#at += 1;
    if (this.#isComment) this.#isComment = mark !== "\n";
    else if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#top() === "single") this.#popAt("'", mark);
    else if (mark === "\\") this.#isEscaped = true;
    else if (this.#top() === "ansi") this.#popAt("'", mark);
    else if (this.#top() === "double") this.#inDouble(mark);
    else this.#inCode(mark);
  }

  #popAt(end: string, mark: string): void {
    if (mark === end) this.#frames.pop();
  }

  #inDouble(mark: string): void {
    if (mark === '"') this.#frames.pop();
    else this.#expansion(mark);
  }

  #inCode(mark: string): void {
    const next = this.#command[this.#at];
    const opened = OPENING[mark];
    if (opened !== undefined) this.#frames.push(opened);
    else if (mark === "$" && next === "'") this.#open("ansi");
    else if (CLOSING[mark] === this.#top()) this.#frames.pop();
    else if (mark === "#") this.#isComment = this.#top() !== "brace" && /^[\s;|&()]?$/u.test(this.#command[this.#at - 2] ?? "");
    else if (mark === "<" && next === "<") this.#hereDocument();
    else this.#expansion(mark);
  }

  #expansion(mark: string): void {
    const next = this.#command[this.#at];
    if (mark === "$" && next === "(") this.#open("group");
    else if (mark === "$" && next === "{") this.#open("brace");
    else if (mark === "`" && this.#top() === "backtick") this.#frames.pop();
    else if (mark === "`") this.#frames.push("backtick");
  }

  #hereDocument(): void {
    if (this.#command[this.#at + 1] === "<") this.#at += 2;
    else this.#hasHereDocument = true;
  }

  #open(frame: Frame): void {
    this.#at += 1;
    this.#frames.push(frame);
  }
}
