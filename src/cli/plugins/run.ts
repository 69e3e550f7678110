import type { ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { refuse } from "../output/answers.js";
import type { Administration } from "./administration.js";
import type { PluginsInvocation } from "./invocation.js";

/**
 * The commands below `plugins`. Each loads its own module when it is reached. A configuration with an error does not keep a person from
 * looking after plugins; it is told where it matters to what is shown.
 */
export async function runPlugins(context: CommandContext, invocation: PluginsInvocation): Promise<ExitStatus> {
  const prepared = await context.prepare(invocation.common, true);
  if (!prepared.ok) {
    const [first = 1] = prepared.error.map((problem) => refuse(context, problem));
    return first;
  }
  const shows = invocation.type === "plugins list" || invocation.type === "plugins info";
  const told = prepared.value.toldOfProject === undefined ? 0 : 1;
  // Each plugin of the project says that it waits for trust.
  if (shows) for (const warning of prepared.value.warnings.slice(told)) context.errors.diagnostic(warning);
  const admin = await context.runtime.plugins(prepared.value, context.host);
  try {
    return await dispatch({ context, prepared: prepared.value, admin }, invocation);
  } finally {
    await admin.close();
  }
}

async function dispatch(own: Administration, invocation: PluginsInvocation): Promise<ExitStatus> {
  switch (invocation.type) {
    case "plugins list":
      return await (await import("./show/list.js")).listPlugins(own, invocation);
    case "plugins info":
      return await (await import("./show/info.js")).showPlugin(own, invocation);
    case "plugins install":
      return await (await import("./change/install.js")).installPlugins(own, invocation);
    case "plugins remove":
      return await (await import("./change/remove.js")).removePlugin(own, invocation);
    case "plugins enable":
    case "plugins disable":
      return await (await import("./change/switch.js")).switchPlugin(own, invocation);
    case "plugins trust":
      return await (await import("./change/trust.js")).trust(own, invocation);
    case "plugins check":
      return await (await import("./author/check.js")).checkPlugin(own, invocation);
    case "plugins new":
      return await (await import("./author/new.js")).newPlugin(own, invocation);
  }
}
