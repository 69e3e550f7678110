import { basename, join, resolve } from "node:path";
import type { ExitStatus } from "../../../schema/index.js";
import { refuse } from "../../output/answers.js";
import { jsonLine } from "../../output/visible.js";
import type { NewInvocation } from "../invocation.js";
import type { Administration } from "../administration.js";

/** Writes a new plugin and says what to do with it. */
export async function newPlugin({ context, admin, prepared }: Administration, request: NewInvocation): Promise<ExitStatus> {
  const { dir, kind, json } = request;
  const id = request.id ?? idFor(resolve(prepared.cwd, dir));
  const made = await admin.create(resolve(prepared.cwd, dir), { id, kind });
  if (!made.ok) return refuse(context, made.error);
  if (json) {
    context.out.write(jsonLine({ id, kind, dir: resolve(prepared.cwd, dir), files: made.value }));
    return 0;
  }
  for (const name of made.value) context.out.write(`${join(dir, name)}\n`);
  context.out.push();
  context.errors.line(`smith: ${id} is a ${kind} plugin that works; go on with:`);
  context.errors.line(`  smith plugins check ${quoted(dir)}`);
  context.errors.line(`  smith --plugin ${quoted(dir)} --watch`);
  return 0;
}

/** Ids have a dot; what comes after it is made of the folder's name. */
function idFor(dir: string): string {
  const name = basename(dir)
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^[^a-z]+|-+$/gu, "")
    .slice(0, 40);
  return `my.${name === "" ? "plugin" : name}`;
}

/** As a shell takes it back. */
const quoted = (text: string): string => (/^[\w./~-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
