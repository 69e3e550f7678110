import { invariant } from "../base/index.js";
import type { SdkOperation } from "../schema/index.js";
import type { createMachine as machineOf, Machine } from "./machine.js";
import type { createMcpHub as hubOf, McpHub } from "./mcp/index.js";
import type { argumentLinks as linksOf } from "./paths/index.js";
import type { createShellLines as shellLinesOf, ShellLines } from "./process/index.js";
import type { Facilities, Facility } from "./types.js";

/** Where the texts of a call lead; asked for where somebody judges it. */
export const argumentLinks: typeof linksOf = async (args, cwd) => await (await import("./paths/links.js")).argumentLinks(args, cwd);

/** What this machine has; for who looks after it, and for no run. */
export const createMachine = async (deps: Parameters<typeof machineOf>[0]): Promise<Machine> =>
  (await import("./machine.js")).createMachine(deps);

/** Servers of the Model Context Protocol; what starts and asks them is loaded by who has some. */
export const createMcpHub = async (deps: Parameters<typeof hubOf>[0]): Promise<McpHub> =>
  (await import("./mcp/index.js")).createMcpHub(deps);

/** Command lines of a person's own configuration; what runs them is loaded by the first. */
export function createShellLines(deps: Parameters<typeof shellLinesOf>[0]): ShellLines {
  const lines = kept(async () => (await import("./process/index.js")).createShellLines(deps));
  let isUsed = false;
  return {
    async run(line, signal) {
      isUsed = true;
      return await (await lines()).run(line, signal);
    },
    close: async () => {
      if (isUsed) await (await lines()).close();
    },
  };
}

/** What is made at the first asking and kept. One that fails is made again by the next. */
export function kept<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** The facilities of some operations; their code is loaded by the first call of one of them. */
export function onDemand<Op extends SdkOperation>(
  operations: readonly Op[],
  load: () => Promise<Pick<Facilities, Op>>,
): Pick<Facilities, Op> {
  const loaded = kept(load);
  const table = Object.fromEntries(operations.map((op) => [op, deferred(async () => (await loaded())[op])]));
  // Of an object from entries the compiler knows no keys; these are all of them.
  return table as Pick<Facilities, Op>;
}

/** What is put on record is asked for after the grants were checked, so the facility is there then. */
function deferred<Op extends SdkOperation>(load: () => Promise<Facility<Op>>): Facility<Op> {
  let facility: Facility<Op> | undefined;
  const ready = async (): Promise<Facility<Op>> => (facility ??= await load());
  const recordOf = (): Facility<Op>["record"] => {
    invariant(facility !== undefined, "an effect was to be recorded before its grants were checked");
    return facility.record;
  };
  return {
    authorize: async (input, context) => await (await ready()).authorize(input, context),
    run: async (input, context) => await (await ready()).run(input, context),
    record: {
      input(input) {
        const record = recordOf();
        return record?.input === undefined ? input : record.input(input);
      },
      output(output) {
        const record = recordOf();
        return record?.output === undefined ? output : record.output(output);
      },
    },
  };
}
