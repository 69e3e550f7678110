import type { Diagnostic, ExitStatus } from "../../schema/index.js";
import { interruptible, put, refuse } from "../output/answers.js";
import { shortPath } from "../output/path.js";
import { localMinute } from "../output/time.js";
import { visibleLine } from "../output/visible.js";
import { accountOf, type AuthDesk, placeWords, usedPlace } from "./administration.js";
import { noSuchAccount } from "./diagnostics.js";
import { givenKey } from "./given-key.js";
import type { LoginInvocation } from "./invocation.js";
import type { AuthAccount } from "../../runtime/index.js";

/** Stores a key or a login. What was stored is told, and where; its value never. */
export async function login(desk: AuthDesk, { name, keyStdin }: LoginInvocation): Promise<ExitStatus> {
  const { context, admin } = desk;
  const overview = await admin.overview();
  for (const problem of overview.problems) context.errors.diagnostic(problem);
  const account = accountOf(overview, name);
  if (account === undefined) {
    const names = overview.accounts.map((one) => one.name);
    return refuse(context, noSuchAccount(name, names));
  }
  return await interruptible(context, async (signal) => {
    const byDevice = account.login === "device" && account.name === name && !keyStdin;
    const problem = byDevice ? await loginByDevice(desk, account, signal) : await storeKey(desk, { ...account, name }, signal);
    return problem ?? (await tell(desk, name, byDevice ? "login" : "key"));
  });
}

type Refusal = Diagnostic | ExitStatus | undefined;

async function storeKey({ context, admin }: AuthDesk, account: AuthAccount, signal: AbortSignal): Promise<Refusal> {
  const key = await givenKey(context, account, signal);
  if (!key.ok) return key.error;
  const stored = await admin.storeKey(account.name, key.value);
  return stored.ok ? undefined : stored.error;
}

async function loginByDevice({ context, admin }: AuthDesk, { name, title }: AuthAccount, signal: AbortSignal): Promise<Refusal> {
  const prompt = await admin.startDeviceLogin(name, signal);
  if (!prompt.ok) return prompt.error;
  const { url, completeUrl, userCode, expiresAt } = prompt.value;
  context.errors.line(`To log in to ${title}, open ${url} in a browser and enter the code ${userCode}`);
  if (completeUrl !== undefined) context.errors.line(`or open ${completeUrl}`);
  context.errors.line(`It is waited for until ${localMinute(expiresAt)}; Ctrl-C gives up.`);
  const stored = await prompt.value.finish();
  return stored.ok ? undefined : stored.error;
}

/** Says what there is now, and whether it is used. */
async function tell({ context, admin }: AuthDesk, name: string, what: "key" | "login"): Promise<ExitStatus> {
  const overview = await admin.overview();
  const file = shortPath(overview.file, context.host.env["HOME"]);
  await put(context, visibleLine(`Stored the ${what} of ${name} in ${file}, which only you can read.`) + "\n");
  const account = accountOf(overview, name);
  const used = account === undefined ? undefined : usedPlace(account);
  if (used !== undefined && used.name !== `auth:${name}`) {
    context.errors.line(`smith: it is not used as long as there is another one that comes first: ${placeWords(used.name)}`);
  }
  return 0;
}
