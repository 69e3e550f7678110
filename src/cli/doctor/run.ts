import { plural } from "../../base/index.js";
import type { Diagnostic, ExitStatus } from "../../schema/index.js";
import { resolveSettings } from "../../config/index.js";
import type { CommandContext, Prepared } from "../context.js";
import { put, refuse } from "../output/answers.js";
import { jsonLine } from "../output/visible.js";
import type { Discovery } from "../plugins/records.js";
import { type Finding, findingOf } from "./finding.js";
import type { DoctorInvocation } from "./invocation.js";
import { modelFindings } from "./model-findings.js";
import { placeFindings, programFindings, settingFindings } from "./places.js";
import { pluginFindings, serverFindings, toolFindings } from "./reach-findings.js";
import { textOf } from "./text.js";

/** Looks at everything a run depends on. What is broken is a finding; it ends early only where nothing can be looked at. */
export async function runDoctor(context: CommandContext, { common, json }: DoctorInvocation): Promise<ExitStatus> {
  const prepared = await context.prepare(common, true);
  if (!prepared.ok) {
    const [first = 1] = prepared.error.map((problem) => refuse(context, problem));
    return first;
  }
  const findings = await lookAt(context, prepared.value);
  const { paint, host } = context;
  const text = json ? findings.map(jsonLine).join("") : textOf(findings, paint, columnsOf(host.stdout));
  await put(context, text);
  return findings.some(({ state }) => state === "error") ? 1 : 0;
}

const COLUMNS = 100;

const columnsOf = ({ isTerminal, columns }: CommandContext["host"]["stdout"]): number =>
  isTerminal && columns !== undefined && columns > 0 ? columns : COLUMNS;

async function lookAt(context: CommandContext, prepared: Prepared): Promise<readonly Finding[]> {
  const { host, runtime } = context;
  const home = host.env["HOME"];
  const machine = await runtime.machine(prepared, host);
  const plugins = await runtime.plugins(prepared, host);
  try {
    const found = await plugins.discover();
    return [
      ...programFindings(context),
      ...(await placeFindings(machine, prepared, home)),
      ...settingFindings(prepared, await problemsOf(prepared, found), home),
      ...(await lookAtModels(context, prepared)),
      ...(await lookAtSecrets(context, prepared)),
      ...(await toolFindings(machine, found)),
      ...pluginFindings(found),
      ...(await lookAtServers(context, prepared)),
    ];
  } finally {
    await plugins.close();
  }
}

/** What is wrong with the settings once the options of plugins are known. What is wrong inside a file stops a run. */
async function problemsOf({ sources, warnings }: Prepared, { active }: Discovery): Promise<readonly Diagnostic[]> {
  if (sources === undefined) return warnings;
  const { declaredOptions } = await import("../../runtime/plugin-admin.js");
  const { diagnostics } = resolveSettings(sources, { declared: declaredOptions(active).options, foreign: "warning" });
  return [...warnings.filter(({ code }) => code.startsWith("trust.")), ...diagnostics];
}

async function lookAtModels(context: CommandContext, prepared: Prepared): Promise<readonly Finding[]> {
  const heard: Diagnostic[] = [];
  const admin = await context.runtime.models(prepared, context.host, (problem) => heard.push(problem));
  if (!admin.ok) return [findingOf("models", "model", admin.error)];
  try {
    const findings = await modelFindings({ context, prepared, admin: admin.value });
    // Plugins that do not load are found among the plugins, secrets that cannot be read among the secrets.
    const own = heard.filter(({ code }) => !code.startsWith("plugin.") && !code.startsWith("secret."));
    return [...findings, ...own.map((problem, index) => findingOf("models", `notice ${String(index + 1)}`, problem, "warning"))];
  } finally {
    await admin.value.close();
  }
}

async function lookAtServers(context: CommandContext, prepared: Prepared): Promise<readonly Finding[]> {
  // What it would say of secrets is among the secrets.
  const admin = await context.runtime.servers(prepared, context.host, () => undefined);
  try {
    return await serverFindings(admin, context.host.env["HOME"]);
  } finally {
    await admin.close();
  }
}

/** Values that models must not see: what cannot be read is not hidden. */
async function lookAtSecrets(context: CommandContext, prepared: Prepared): Promise<readonly Finding[]> {
  const { secrets, problems } = await (await context.runtime.secrets(prepared, context.host)).list();
  const hidden = secrets.filter(({ passedOver }) => passedOver === undefined).length;
  return [
    {
      group: "secrets",
      name: "secrets",
      state: problems.length > 0 || hidden === 0 ? "note" : "ok",
      text: hidden === 0 ? "no value is hidden besides keys of providers" : `${plural(hidden, "value")} hidden`,
    },
    ...problems.map((problem, index) => findingOf("secrets", `problem ${String(index + 1)}`, problem, "warning")),
  ];
}
