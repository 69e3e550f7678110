import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { CommandLine } from "../../given-flags.js";
import type { SessionCommandId } from "../declare/commands.js";
import type { SessionsInvocation } from "../invocation.js";
import { toDelete, toExport, toFork, toImport, toReconcile, toRename, toRepair } from "./changing.js";
import { toGet, toGrep, toList, toVerify } from "./reading.js";

type Parse = (line: CommandLine) => Result<SessionsInvocation, Diagnostic>;

const PARSERS: Readonly<Record<SessionCommandId, Parse>> = {
  "sessions list": toList,
  "sessions grep": toGrep,
  "sessions get": toGet,
  "sessions verify": toVerify,
  "sessions export": toExport,
  "sessions import": toImport,
  "sessions repair": toRepair,
  "sessions fork": toFork,
  "sessions rename": toRename,
  "sessions delete": toDelete,
  "sessions reconcile": toReconcile,
};

/** Gives a line that begins with `sessions` its meaning. Pure. */
export const toSessionsInvocation = (id: SessionCommandId, line: CommandLine): Result<SessionsInvocation, Diagnostic> => PARSERS[id](line);
