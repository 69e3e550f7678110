import type { ExitStatus, McpServerSetting } from "../../schema/index.js";
import { interruptible, put, refuse } from "../output/answers.js";
import { visibleLine } from "../output/visible.js";
import type { ServerDesk } from "./desk.js";
import { noSuchServer } from "./diagnostics.js";

export async function signIn({ context, admin }: ServerDesk, name: string): Promise<ExitStatus> {
  const setting = admin.servers.find((server) => server.name === name);
  if (setting === undefined) return refuse(context, noSuchServer(name, namesOf(admin.servers)));
  return await interruptible(context, async (signal) => {
    const onUrl = (url: string): void => {
      context.errors.line(visibleLine(`To sign in to ${name}, open ${url}`));
      context.errors.line("It is waited for; Ctrl-C gives up.");
    };
    const done = await admin.signIn(setting, { signal, onUrl });
    if (!done.ok) return done.error;
    await put(context, visibleLine(`Signed in to ${name}.`) + "\n");
    return 0;
  });
}

export async function signOut({ context, admin }: ServerDesk, name: string): Promise<ExitStatus> {
  const setting = admin.servers.find((server) => server.name === name);
  if (setting === undefined) return refuse(context, noSuchServer(name, namesOf(admin.servers)));
  const done = await admin.signOut(setting);
  if (!done.ok) return refuse(context, done.error);
  await put(context, visibleLine(done.value ? `Forgot the sign-in with ${name}.` : `There was no sign-in with ${name}.`) + "\n");
  return done.value ? 0 : 1;
}

const namesOf = (servers: readonly McpServerSetting[]): readonly string[] => servers.map(({ name }) => name);
