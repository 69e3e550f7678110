import type { ExitStatus } from "../../schema/index.js";
import { interruptible, put, refuse } from "../output/answers.js";
import { givenValue } from "../output/given-value.js";
import { shortPath } from "../output/path.js";
import { visibleLine } from "../output/visible.js";
import { isLikeAValue, noSuchSecret, noValueGiven, valueAsArgument } from "./diagnostics.js";
import type { SecretDesk } from "./desk.js";

/** Stores a value. What was stored is told, and where; the value never. */
export async function addSecret({ context, admin }: SecretDesk, name: string): Promise<ExitStatus> {
  if (isLikeAValue(name)) return refuse(context, valueAsArgument());
  return await interruptible(context, async (signal) => {
    const given = await givenValue(context, { noun: "value", title: `Value of ${name}` }, signal);
    if (given.type === "interrupted") return 130;
    if (given.type === "nothing") return noValueGiven(name, given.why);
    const added = await admin.add(name, given.text);
    if (!added.ok) return added.error;
    const { file } = await admin.list();
    const place = shortPath(file, context.host.env["HOME"]);
    const verb = added.value ? "Replaced" : "Stored";
    await put(
      context,
      `${visibleLine(`${verb} ${name} in ${place}, which only you can read. {secret:${name}} stands for it from the next start on.`)}\n`,
    );
    return 0;
  });
}

export async function removeSecret({ context, admin }: SecretDesk, name: string): Promise<ExitStatus> {
  const removed = await admin.remove(name);
  if (!removed.ok) return refuse(context, removed.error);
  if (!removed.value) {
    const { secrets } = await admin.list();
    const stored = secrets.filter(({ from }) => from === "stored").map((secret) => secret.name);
    return refuse(context, noSuchSecret(name, stored));
  }
  await put(context, `${visibleLine(`Removed ${name}. It is hidden no more from the next start on.`)}\n`);
  return 0;
}
