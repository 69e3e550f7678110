import { stat } from "node:fs/promises";
import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, ProcessInput } from "../../schema/index.js";
import type { EffectContext, Facility } from "../types.js";
import { bytesOf, errnoOf, fromText, parseName, realWorkspace, resolveAgainst, resolveReal, showName, textOf } from "../paths/index.js";
import { badCommand, badFolder, programDenied } from "./failures.js";
import { isGranted, programOf } from "./programs.js";
import type { ProcessRunner } from "./run.js";

/** The folder of a command is where it starts, not a boundary: a shell can go anywhere its user can. */
export function createProcessFacility(runner: ProcessRunner): Facility<"process.run"> {
  return {
    async authorize(input, context) {
      const { command } = input;
      if (command.trim() === "") return err(badCommand("it is empty"));
      if (command.includes("\0")) return err(badCommand("it holds a NUL"));
      if (!isGranted(command, context.grants.process))
        return err(programDenied(context.plugin, programOf(command), context.grants.process));
      const cwd = await startFolder(input, context);
      return cwd.ok ? ok({ ...input, cwd: cwd.value }) : cwd;
    },
    run: (input, context) => runner.run({ ...input, cwd: input.cwd ?? showName(fromText(context.cwd)) }, context),
  };
}

async function startFolder(input: ProcessInput, context: EffectContext): Promise<Result<string, Diagnostic>> {
  const workspace = await realWorkspace(context);
  const resolved = await resolveReal(resolveAgainst(workspace, parseName(input.cwd ?? ".")));
  if (!resolved.ok) return resolved;
  const { real } = resolved.value;
  const shown = showName(real);
  const isSpelled = fromText(textOf(real)) === real;
  return isSpelled && (await isFolder(real)) ? ok(shown) : err(badFolder(shown));
}

async function isFolder(path: Parameters<typeof bytesOf>[0]): Promise<boolean> {
  try {
    return (await stat(bytesOf(path))).isDirectory();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
