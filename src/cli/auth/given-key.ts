import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic, ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { type GivenValue, givenValue } from "../output/given-value.js";
import { noKeyGiven } from "./diagnostics.js";
import type { AuthAccount } from "../../runtime/index.js";

/** The key a person types, or that is on standard input. A status: they gave up. */
export async function givenKey(
  context: CommandContext,
  { name, title }: Pick<AuthAccount, "name" | "title">,
  signal: AbortSignal,
): Promise<Result<string, Diagnostic | ExitStatus>> {
  const given: GivenValue = await givenValue(context, { noun: "key", title: `Key for ${title}` }, signal);
  if (given.type === "interrupted") return err(130);
  if (given.type === "nothing") return err(noKeyGiven(name, given.why));
  const key = given.text;
  return /[\r\n]/u.test(key) ? err(noKeyGiven(name, "Standard input has several lines; which one is the key cannot be told.")) : ok(key);
}
