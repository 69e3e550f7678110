import type { ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { refuse } from "../output/answers.js";
import type { SecretsInvocation } from "./invocation.js";

/** The commands below `secrets`. A configuration with an error does not keep a person from looking after their secrets. */
export async function runSecrets(context: CommandContext, invocation: SecretsInvocation): Promise<ExitStatus> {
  const prepared = await context.prepare(invocation.common, true);
  if (!prepared.ok) {
    const [first = 1] = prepared.error.map((problem) => refuse(context, problem));
    return first;
  }
  if (invocation.type === "secrets list") for (const warning of prepared.value.warnings) context.errors.diagnostic(warning);
  const desk = { context, admin: await context.runtime.secrets(prepared.value, context.host) };
  switch (invocation.type) {
    case "secrets list":
      return await (await import("./list.js")).listSecrets(desk, invocation);
    case "secrets add":
      return await (await import("./change.js")).addSecret(desk, invocation.name);
    case "secrets remove":
      return await (await import("./change.js")).removeSecret(desk, invocation.name);
  }
}
