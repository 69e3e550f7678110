import { type Command, definePlugin, failure, type PluginContext, type Tool } from "smith-agent/plugin";
import { readInstalled } from "./installed.js";
import { countWords, judge, licenseCounts, licenseWords, type Report, toolOutput } from "./report.js";

interface Args {
  readonly show?: "unexpected" | "all";
  readonly name?: string;
}

const NOTHING = "There is no installed package: no node_modules in the workspace.";

/** The host has checked the arguments and the options: they are what the manifest says. */
async function look(context: PluginContext): Promise<Report> {
  const { config } = context;
  const allow = config["licenses.allow"];
  const installed = await readInstalled(context, Number(config["licenses.packages"]));
  return judge(installed, Array.isArray(allow) ? allow.map(String) : []);
}

/** For the model. */
export const licenses: Tool<Args> = async ({ show = "unexpected", name }, context) => {
  const report = await look(context);
  return report.packages.length === 0 ? failure(NOTHING) : toolOutput(report, { show, name });
};

/** The most packages a request to the model names; it has the tool for the rest. */
const NAMED = 20;

/** For people: counts at once, or a request to the model. */
export const count: Command = async (args, context) => {
  const report = await look(context);
  if (report.packages.length === 0) return [{ type: "notify", text: NOTHING, role: "warning" }];
  if (args === "explain" && report.unexpected.length > 0) {
    const named = report.unexpected.slice(0, NAMED).map((one) => `- ${one.name}@${one.version}: ${licenseWords(one)}`);
    const text = `These installed packages have a license this project does not expect. Say for each what it asks of us, and which of our own dependencies brings it.\n\n${named.join("\n")}`;
    return [{ type: "enqueue", text }];
  }
  const counts = licenseCounts(report.packages)
    .slice(0, 6)
    .map(([license, number]) => `${license} ${number}`);
  const role = report.unexpected.length === 0 ? "success" : "warning";
  return [{ type: "notify", text: `${countWords(report)} ${counts.join(", ")}`, role }];
};

export default definePlugin({ tools: { licenses }, commands: { licenses: count } });
