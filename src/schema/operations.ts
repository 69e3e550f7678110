import type { EffectIntentEntry } from "./entry.js";
import type { SdkOperation } from "./sdk/index.js";

/** Each host operation and whether it can change anything. What it may change is the gateway's business. */
export const SDK_OPERATIONS: { readonly [Op in SdkOperation]: { readonly changes: boolean } } = {
  "fs.read": { changes: false },
  "fs.write": { changes: true },
  "fs.edit": { changes: true },
  "fs.patch": { changes: true },
  "fs.list": { changes: false },
  "fs.stat": { changes: false },
  "search.find": { changes: false },
  "search.grep": { changes: false },
  "process.run": { changes: true },
  "process.start": { changes: true },
  "process.jobs": { changes: false },
  "process.output": { changes: false },
  "process.kill": { changes: true },
  "net.fetch": { changes: true },
  "evaluate.run": { changes: false },
  "vcs.status": { changes: false },
  "vcs.diff": { changes: false },
  "state.get": { changes: false },
  "state.put": { changes: true },
  "state.delete": { changes: true },
  "ui.ask": { changes: false },
  "ui.choose": { changes: false },
  "ui.confirm": { changes: false },
  "resource.read": { changes: false },
  "clock.sleep": { changes: false },
  "clock.now": { changes: false },
  "entropy.bytes": { changes: false },
  "text.diff": { changes: false },
  "text.markdown": { changes: false },
  "mcp.servers": { changes: false },
  "mcp.call": { changes: true },
  "mcp.read": { changes: false },
  "mcp.resources": { changes: false },
  "mcp.prompt": { changes: false },
  "mcp.reconnect": { changes: false },
  "tools.searchable": { changes: false },
  "agent.run": { changes: true },
  "secrets.keep": { changes: false },
};

export const isSdkOperation = (name: string): name is SdkOperation => Object.hasOwn(SDK_OPERATIONS, name);

/** Whether an effect of this operation may have changed something. One that is not known may have. */
export const mayChange = (operation: string): boolean => !isSdkOperation(operation) || SDK_OPERATIONS[operation].changes;

/** Effect class of one provider round. */
export const PROVIDER_OPERATION = "provider.respond";

/** Whether a person has to know when the outcome of this effect is unknown: it may have changed something, and is not the model's own response. */
export const isReportable = ({ operation }: Pick<EffectIntentEntry, "operation">): boolean =>
  operation !== PROVIDER_OPERATION && mayChange(operation);
