import { closest } from "../../base/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";

const usage = (fields: Pick<Diagnostic, "code" | "what" | "why" | "next">): Diagnostic => diagnostic({ ...fields, exit: 2 });

export const noSelection = (): Diagnostic =>
  usage({
    code: "usage.no-selection",
    what: "no model is named",
    why: "What was given is blank.",
    next: "Name one: smith models use PROVIDER/MODEL. All there are: smith models list.",
  });

export const noSuchServer = (name: string, known: readonly string[]): Diagnostic => {
  const near = closest(name, known);
  return usage({
    code: "usage.no-such-server",
    what: `there is no provider or connection ${name}`,
    why: "No plugin in use brings one of that name, and none is configured.",
    next: near === undefined ? `Name one of: ${known.join(", ")}.` : `Did you mean ${near}?`,
  });
};

/** A provider or connection that cannot be asked for its models as things are. */
export const notSetUp = (name: string, lookedAt: readonly string[]): Diagnostic => {
  const variables = lookedAt.filter((place) => !place.includes(":"));
  const [first] = variables;
  return diagnostic({
    code: "models.not-set-up",
    what: `${name} is not set up`,
    why: lookedAt.length === 0 ? "It is not known where its server is." : `Looked at for a key: ${lookedAt.join(", ")}.`,
    next: first === undefined ? "Say in the configuration where it is." : `Set ${first}, or store a key: smith auth login ${name}.`,
    exit: 3,
  });
};

/** Nothing is set up but what is built in, and none of the servers that this machine may have is there. */
export const noneAnswered = (looked: readonly string[]): Diagnostic =>
  diagnostic({
    code: "models.none-answered",
    what: "no server gave a list of its models",
    why:
      looked.length === 0
        ? "No provider that has a server is set up."
        : `No provider is set up that has a server elsewhere, and on this machine none of these runs: ${looked.join(", ")}.`,
    next: "Store a key with smith auth login NAME, or start a server. What is set up: smith auth status.",
  });
