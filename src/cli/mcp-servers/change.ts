import type { ExitStatus } from "../../schema/index.js";
import { put, refuse } from "../output/answers.js";
import { shortPath } from "../output/path.js";
import { visibleLine } from "../output/visible.js";
import { placeOf, type ServerDesk } from "./desk.js";
import { badServerName, notInThatFile } from "./diagnostics.js";
import type { AddServerInvocation, RemoveServerInvocation } from "./invocation.js";

const NAME = /^[^\s\p{C}"'\\]{1,100}$/u;

export async function addServer(desk: ServerDesk, { name, server, place }: AddServerInvocation): Promise<ExitStatus> {
  const { context, admin } = desk;
  if (!NAME.test(name)) return refuse(context, badServerName(name));
  const added = await admin.add(place, name, server);
  if (!added.ok) return refuse(context, added.error);
  const path = shortPath(await admin.pathOf(place), context.host.env["HOME"]);
  await put(context, `${visibleLine(`${added.value ? "Replaced" : "Added"} ${name} in ${path}. It is used from the next start on.`)}\n`);
  const stronger = admin.servers.find(
    (one) => one.name === name && one.source.file !== path && place === "user" && one.source.from === "project",
  );
  if (stronger !== undefined)
    context.errors.line(visibleLine(`smith: in this project ${placeOf(stronger, desk)} names a server ${name} too, and that one counts`));
  if (place === "project") context.errors.line("smith: servers of a project are used once it is trusted: smith plugins trust");
  else context.errors.line(visibleLine(`smith: see what it has with: smith mcp-servers check ${name}`));
  return 0;
}

export async function removeServer(desk: ServerDesk, { name, place }: RemoveServerInvocation): Promise<ExitStatus> {
  const { context, admin } = desk;
  const removed = await admin.remove(place, name);
  if (!removed.ok) return refuse(context, removed.error);
  const path = shortPath(await admin.pathOf(place), context.host.env["HOME"]);
  if (!removed.value) {
    const other = admin.servers.find((server) => server.name === name);
    return refuse(context, notInThatFile(name, path, other === undefined ? undefined : placeOf(other, desk)));
  }
  await put(context, `${visibleLine(`Removed ${name} from ${path}.`)}\n`);
  return 0;
}
