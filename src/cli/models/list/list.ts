import type { ExitStatus } from "../../../schema/index.js";
import { put } from "../../output/answers.js";
import { jsonLine } from "../../output/visible.js";
import type { ModelDesk } from "../desk.js";
import type { ListModelsInvocation } from "../invocation.js";
import { usedByDefault } from "../used.js";
import { listingOf } from "./listing.js";
import { recordsOf } from "./records.js";
import { remarksOf, tell } from "./remarks.js";
import { tableOf } from "./table.js";

/** Aliases, groups and models as JSON or as a table. */
export async function listModels(desk: ModelDesk, { words, all, json }: ListModelsInvocation): Promise<ExitStatus> {
  const { context, admin } = desk;
  const used = await usedByDefault(desk);
  if (!used.route.ok) context.errors.diagnostic({ ...used.route.error, severity: "warning" });
  const listing = listingOf(desk, used, { words, all });
  if (json) {
    for (const record of recordsOf(listing, { used, refreshedAt: admin.refreshedAt })) if (!(await put(context, jsonLine(record)))) break;
    return 0;
  }
  const { stdout, env } = context.host;
  // A terminal that does not know how wide it is says 0.
  const width = stdout.isTerminal && stdout.columns !== 0 ? stdout.columns : undefined;
  const table = tableOf(listing, { all, width, home: env["HOME"], paint: context.paint });
  if (await put(context, table.map((line) => `${line}\n`).join(""))) {
    await tell(context, remarksOf(listing, { used, words, refreshedAt: admin.refreshedAt }));
  }
  return 0;
}
