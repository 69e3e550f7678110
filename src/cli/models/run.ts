import type { ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { refuse } from "../output/answers.js";
import type { ModelDesk } from "./desk.js";
import type { ModelsInvocation } from "./invocation.js";

/**
 * The commands below `models`. Each loads its own module when it is reached. A configuration with an error does not keep a person from
 * looking at models; what is wrong in it is told.
 */
export async function runModels(context: CommandContext, invocation: ModelsInvocation): Promise<ExitStatus> {
  const prepared = await context.prepare(invocation.common, true);
  if (!prepared.ok) {
    const [first = 1] = prepared.error.map((problem) => refuse(context, problem));
    return first;
  }
  for (const warning of prepared.value.warnings) context.errors.diagnostic(warning);
  const admin = await context.runtime.models(prepared.value, context.host, context.errors.diagnostic);
  if (!admin.ok) return refuse(context, admin.error);
  try {
    return await dispatch({ context, prepared: prepared.value, admin: admin.value }, invocation);
  } finally {
    await admin.value.close();
  }
}

async function dispatch(desk: ModelDesk, invocation: ModelsInvocation): Promise<ExitStatus> {
  switch (invocation.type) {
    case "models list":
      return await (await import("./list/list.js")).listModels(desk, invocation);
    case "models show":
      return await (await import("./show/show.js")).showModel(desk, invocation);
    case "models use":
      return await (await import("./use.js")).useModel(desk, invocation);
    case "models refresh":
      return await (await import("./refresh.js")).refreshModels(desk, invocation);
  }
}
