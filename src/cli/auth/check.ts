import { plural } from "../../base/index.js";
import type { ExitStatus } from "../../schema/index.js";
import { interruptible, put, refuse } from "../output/answers.js";
import { jsonLine, visibleLine } from "../output/visible.js";
import { accountOf, type AuthDesk, placeWords, usedPlace } from "./administration.js";
import { noSuchAccount, nothingToCheck } from "./diagnostics.js";
import type { CheckAuthInvocation } from "./invocation.js";
import type { AuthAccount, AuthCheck, AuthOverview } from "../../runtime/index.js";

/** Servers that are asked at a time. */
const AT_ONCE = 4;

/** Asks servers; tells of each in the order of the overview as soon as it and those before it are known. */
export async function checkAccounts({ context, admin }: AuthDesk, { name, json }: CheckAuthInvocation): Promise<ExitStatus> {
  const overview = await admin.overview();
  for (const problem of overview.problems) context.errors.diagnostic(problem);
  const chosen = choose(overview, name);
  if (chosen === undefined) {
    const names = overview.accounts.map((one) => one.name);
    return refuse(context, noSuchAccount(name ?? "", names));
  }
  if (chosen.length === 0) return refuse(context, nothingToCheck());
  return await interruptible(context, async (signal) => {
    const checks = inTurn(chosen, async (account) => await admin.check(account.name, signal));
    const states: AuthCheck["state"][] = [];
    for (const [index, account] of chosen.entries()) {
      const check = await checks[index];
      if (check === undefined || signal.aborted) break;
      states.push(check.state);
      await put(context, json ? jsonLine(recordOf(account, check)) : `${lineOf(account, check)}\n`);
      if (check.state !== "ready" && !json) {
        context.out.push();
        context.errors.diagnostic(check.problem);
      }
    }
    await Promise.all(checks);
    return statusOf(states);
  });
}

/** Without a name those that have a key; undefined where the name is nobody's. */
function choose(overview: AuthOverview, name: string | undefined): readonly AuthAccount[] | undefined {
  if (name === undefined) return overview.accounts.filter((account) => usedPlace(account) !== undefined);
  const account = accountOf(overview, name);
  return account === undefined ? undefined : [account];
}

/** Begins at most {@link AT_ONCE} at a time, in order. */
function inTurn<Item, End>(items: readonly Item[], work: (item: Item) => Promise<End>): readonly Promise<End>[] {
  const begun: Promise<End>[] = [];
  for (const item of items) {
    const before = begun[begun.length - AT_ONCE];
    begun.push(before === undefined ? work(item) : before.then(async () => await work(item)));
  }
  return begun;
}

/** What a person can mend comes before what may mend itself. */
function statusOf(states: readonly AuthCheck["state"][]): ExitStatus {
  if (states.some((state) => state === "not-set" || state === "refused")) return 3;
  return states.includes("unreachable") ? 1 : 0;
}

const WORDS: Readonly<Record<AuthCheck["state"], string>> = {
  ready: "ready",
  "not-set": "not set",
  refused: "refused",
  unreachable: "unreachable",
};

function lineOf({ name }: AuthAccount, check: AuthCheck): string {
  const models = check.state === "ready" && check.models !== undefined ? [plural(check.models, "model")] : [];
  const details = [...(check.place === undefined ? [] : [placeWords(check.place)]), ...models];
  return visibleLine(`${name}: ${WORDS[check.state]}${details.length === 0 ? "" : ` (${details.join(", ")})`}`);
}

const recordOf = ({ name, provider }: AuthAccount, check: AuthCheck): object => ({
  name,
  provider,
  state: check.state,
  ...(check.place === undefined ? {} : { place: check.place }),
  ...(check.state === "ready" ? (check.models === undefined ? {} : { models: check.models }) : { error: check.problem }),
});
