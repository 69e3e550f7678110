import type { ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { refuse } from "../output/answers.js";
import type { AuthDesk } from "./administration.js";
import type { AuthInvocation } from "./invocation.js";

/**
 * The commands below `auth`. Each loads its own module when it is reached. A configuration with an error does not keep a person from
 * looking after their keys; what is wrong in it is told.
 */
export async function runAuth(context: CommandContext, invocation: AuthInvocation): Promise<ExitStatus> {
  const prepared = await context.prepare(invocation.common, true);
  if (!prepared.ok) {
    const [first = 1] = prepared.error.map((problem) => refuse(context, problem));
    return first;
  }
  if (invocation.type !== "auth logout") for (const warning of prepared.value.warnings) context.errors.diagnostic(warning);
  const admin = await context.runtime.auth(prepared.value, context.host, (problem) => {
    // What is wrong with the auth file is part of what is shown.
    if (!problem.code.startsWith("credential.")) context.errors.diagnostic(problem);
  });
  if (!admin.ok) return refuse(context, admin.error);
  try {
    return await dispatch({ context, admin: admin.value }, invocation);
  } finally {
    await admin.value.close();
  }
}

async function dispatch(desk: AuthDesk, invocation: AuthInvocation): Promise<ExitStatus> {
  switch (invocation.type) {
    case "auth login":
      return await (await import("./login.js")).login(desk, invocation);
    case "auth logout":
      return await (await import("./logout.js")).logout(desk, invocation);
    case "auth status":
      return await (await import("./status.js")).showStatus(desk, invocation);
    case "auth check":
      return await (await import("./check.js")).checkAccounts(desk, invocation);
  }
}
