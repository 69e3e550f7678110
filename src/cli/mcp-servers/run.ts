import type { ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { refuse } from "../output/answers.js";
import type { ServersInvocation } from "./invocation.js";

/** The commands below `mcp-servers`. A configuration with an error does not keep a person from looking after their servers. */
export async function runServers(context: CommandContext, invocation: ServersInvocation): Promise<ExitStatus> {
  const prepared = await context.prepare(invocation.common, true);
  if (!prepared.ok) {
    const [first = 1] = prepared.error.map((problem) => refuse(context, problem));
    return first;
  }
  for (const warning of prepared.value.warnings) context.errors.diagnostic(warning);
  const admin = await context.runtime.servers(prepared.value, context.host, context.errors.diagnostic);
  const desk = { context, admin };
  try {
    switch (invocation.type) {
      case "mcp-servers list":
        return await (await import("./list.js")).listServers(desk, invocation);
      case "mcp-servers add":
        return await (await import("./change.js")).addServer(desk, invocation);
      case "mcp-servers remove":
        return await (await import("./change.js")).removeServer(desk, invocation);
      case "mcp-servers check":
        return await (await import("./check.js")).checkServers(desk, invocation);
      case "mcp-servers login":
        return await (await import("./sign.js")).signIn(desk, invocation.name);
      case "mcp-servers logout":
        return await (await import("./sign.js")).signOut(desk, invocation.name);
    }
  } finally {
    await admin.close();
  }
}
