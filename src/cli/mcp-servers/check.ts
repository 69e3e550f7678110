import { plural, type Result } from "../../base/index.js";
import type { McpCheck } from "../../runtime/index.js";
import type { Diagnostic, ExitStatus, McpServerSetting } from "../../schema/index.js";
import { interruptible, put, refuse } from "../output/answers.js";
import { visibleLine } from "../output/visible.js";
import { reachedBy, type ServerDesk } from "./desk.js";
import { noSuchServer } from "./diagnostics.js";
import type { CheckServersInvocation } from "./invocation.js";

/** Connects to all that are meant at once and tells of each in their order. */
export async function checkServers({ context, admin }: ServerDesk, { names, json }: CheckServersInvocation): Promise<ExitStatus> {
  const known = admin.servers.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) return refuse(context, noSuchServer(unknown, known));
  const meant = admin.servers.filter(({ name, enabled }) => (names.length === 0 ? enabled : names.includes(name)));
  if (meant.length === 0) context.errors.line("smith: no server is on; add one with: smith mcp-servers add NAME -- COMMAND");
  return await interruptible(context, async (signal) => {
    const checks = meant.map((setting) => ({ setting, check: admin.check(setting, signal) }));
    let failed = 0;
    for (const { setting, check } of checks) {
      const outcome = await check;
      if (!outcome.ok) failed += 1;
      const text = json
        ? `${JSON.stringify(recordOf(setting, outcome))}\n`
        : linesOf(setting, outcome)
            .map((line) => `${visibleLine(line)}\n`)
            .join("");
      if (!(await put(context, text))) return 0;
    }
    return failed === 0 ? 0 : 1;
  });
}

type Outcome = Result<McpCheck, Diagnostic>;

const recordOf = ({ name }: McpServerSetting, outcome: Outcome): object =>
  outcome.ok
    ? { ok: true, ...outcome.value.view, tookMs: Math.round(outcome.value.tookMs), noise: outcome.value.noise }
    : { name, ok: false, error: outcome.error };

function linesOf(setting: McpServerSetting, outcome: Outcome): readonly string[] {
  if (!outcome.ok) {
    const { code, what, why, next } = outcome.error;
    // What is next then is this command.
    const advice = code === "mcp.server-failed" ? [] : [`  ${next}`];
    return [`${setting.name}: failed`, `  ${what}`, `  ${why}`, ...advice, `  (${reachedBy(setting)})`];
  }
  const { view, tookMs, noise } = outcome.value;
  const about = [view.title, view.version, view.protocol === undefined ? undefined : `protocol ${view.protocol}`].filter(
    (word) => word !== undefined,
  );
  const counts = [plural(view.tools.length, "tool"), plural(view.prompts.length, "prompt"), ...(view.resources ? ["resources"] : [])];
  return [
    `${setting.name}: ${counts.join(", ")} in ${Math.round(tookMs)} ms${about.length === 0 ? "" : ` (${about.join(", ")})`}`,
    ...view.tools.map(({ name, description }) => `  ${name}${description === undefined ? "" : `: ${firstLine(description)}`}`),
    ...view.prompts.map(({ name, description }) => `  prompt ${name}${description === undefined ? "" : `: ${firstLine(description)}`}`),
    ...view.notes.map((text) => `  note: ${text}`),
    ...noise.map((text) => `  on its stdout, passed over: ${text}`),
  ];
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
