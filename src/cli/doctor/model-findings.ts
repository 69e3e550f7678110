import type { AuthAccount, AuthOverview } from "../../runtime/index.js";
import { usedPlace } from "../auth/administration.js";
import { type ModelDesk, targetWords } from "../models/desk.js";
import { usedByDefault } from "../models/used.js";
import { localMinute } from "../output/time.js";
import { type Finding, findingOf } from "./finding.js";

/** What answers a prompt, with which keys. */
export async function modelFindings(desk: ModelDesk): Promise<readonly Finding[]> {
  const { admin } = desk;
  const overview = await admin.auth.overview();
  return [
    await usedFinding(desk),
    ...keyFindings(overview),
    ...overview.problems.map((problem, index) => findingOf("models", `problem ${String(index + 1)}`, problem, "warning")),
    {
      group: "models",
      name: "lists",
      state: "note",
      text:
        admin.refreshedAt === undefined
          ? "no server was asked for its models yet; the catalog that comes with smith is used"
          : `servers were asked for their models ${localMinute(admin.refreshedAt)}`,
      ...(admin.refreshedAt === undefined ? { next: "Ask them with: smith models refresh" } : {}),
    },
  ];
}

async function usedFinding(desk: ModelDesk): Promise<Finding> {
  const { route, why } = await usedByDefault(desk);
  if (!route.ok) return findingOf("models", "model", route.error);
  const [target] = route.value.targets;
  const text = `${targetWords(target)} (${why})`;
  if (target.endpoint.baseUrl === "") {
    const next = "Store a key with: smith auth login NAME. Names are listed by: smith auth status";
    return { group: "models", name: "model", state: "warning", text: `${text}: the built-in assistant is no language model`, next };
  }
  return { group: "models", name: "model", state: "ok", text };
}

function keyFindings({ accounts }: AuthOverview): readonly Finding[] {
  const used = accounts.flatMap((account) => {
    const place = usedPlace(account);
    return place === undefined ? [] : [{ account, place }];
  });
  const ready = used.filter(({ place }) => place.fault === undefined).map(({ account }) => account.name);
  return [
    {
      group: "models",
      name: "keys",
      state: ready.length === 0 ? "note" : "ok",
      text: ready.length === 0 ? "none is set" : `set, and not tried: ${ready.join(", ")}`,
      ...(ready.length === 0 ? {} : { next: "Try them with: smith auth check" }),
    },
    ...used.flatMap(({ account, place }) => (place.fault === undefined ? [] : [unusable(account, place.fault)])),
  ];
}

const unusable = ({ name }: AuthAccount, fault: string): Finding => ({
  group: "models",
  name: `key of ${name}`,
  state: "warning",
  text: `it cannot be sent: ${fault}`,
  next: `Store another with: smith auth login ${name}`,
});
