import { type Clock, err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { Cell, type CellModule, type GuestEnd } from "../cell/index.js";
import { DELIVERY, type DeliveryKind, type LogLevel } from "../engine/kinds.js";
import { type CellKind, cellStart, type SandboxFiles, TEST_CELL, WORK_CELL } from "../host/index.js";
import { destroyWords, errorWords, readGuestError } from "../invoke/index.js";
import { SLICE_MS } from "../limits.js";
import { list, object, readJson, text } from "../shape/index.js";
import type { CompiledPlugin, ModuleLocation } from "../types.js";
import { moduleBroken } from "./diagnostics.js";
import { EVENT_DEFAULTS, ITEM_DEFAULTS } from "./events.js";
import type { TestRules } from "./rules.js";
import type { CheckStep } from "./types.js";

/** Names of the functions a module exports. */
export interface Exports {
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly handlers: readonly string[];
  readonly providers: readonly string[];
  readonly toolSets: readonly string[];
}

/** A cell for the package under test: its modules are evaluated there, and nothing they ask for reaches the host. */
export interface Sandbox {
  /** Evaluates the module and says what it exports. */
  describe(modules: ModuleLocation): Promise<Result<Exports, Diagnostic>>;
  /** Runs the tests that one module declares, in order, each with its own deadline. */
  test(modules: Extract<CellModule, { type: "tree" }>, tell: (step: TestStep) => void): Promise<void>;
  close(): Promise<void>;
}

export type TestStep = Extract<CheckStep, { type: "test" }>;

export interface SandboxOptions extends SandboxFiles {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Plugins whose tools there are besides its own. */
  readonly others: readonly CompiledPlugin[];
  readonly testMs?: number;
}

const TEST_MS = 10_000;
/** Longer than a plugin may take at once: a test may do many things. */
const TEST_SLICE_MS = 5_000;
const MAX_LINES = 20;

const exportsReader = object({
  tools: list(text),
  commands: list(text),
  handlers: list(text),
  providers: list(text),
  toolSets: list(text),
});
const names = list(text);

export function createSandbox(options: SandboxOptions, compiled: CompiledPlugin): Sandbox {
  const plugin = compiled.id;
  const lines: string[] = [];
  const onLine = (level: LogLevel, line: string): void => {
    if (lines.length < MAX_LINES) lines.push(level === "unhandled" ? unhandledWords(line) : line);
  };
  // The plugin as it is used, and the plugin with its tests: only the second has a function to declare one.
  const cells = { plugin: createCell(options, WORK_CELL, onLine), tests: createCell(options, TEST_CELL, onLine) };
  const askTests = (module: CellModule, kind: DeliveryKind, more: Partial<Asked> = {}): Promise<GuestEnd> =>
    call(cells.tests, options, { plugin: nameOf(plugin, module), module, kind, json: "{}", ...more });
  return {
    async describe(modules) {
      const end = await call(cells.plugin, options, { plugin, module: moduleOf(plugin, modules), kind: DELIVERY.describe, json: "{}" });
      const read = end.type === "returned" ? readJson(exportsReader, end.json, "exports") : err(endWords(end));
      return read.ok ? ok(read.value) : err(moduleBroken(plugin, read.error));
    },
    async test(module, tell) {
      const file = module.entry;
      const declared = await listTests(() => askTests(module, DELIVERY.tests));
      if (!declared.ok) return tell({ type: "test", file, name: "(the module)", passed: false, words: `It ${declared.error}` });
      if (declared.value.length === 0)
        return tell({
          type: "test",
          file,
          name: "(the module)",
          passed: false,
          words: 'It declares no test. Write: test("what holds", (t) => { … })',
        });
      // What refuses operations comes with all of the effects: whoever only looks after plugins does not load that.
      const { createTestRules } = await import("./rules.js");
      for (const [index, name] of declared.value.entries()) {
        if (options.signal.aborted) return;
        lines.length = 0;
        const rules = createTestRules(compiled, options.others);
        const end = await askTests(module, DELIVERY.test, {
          json: JSON.stringify({ test: index, events: EVENT_DEFAULTS, items: ITEM_DEFAULTS }),
          rules,
        });
        // What was written and left behind comes before the answer to a later question.
        if (end.type === "returned" || end.type === "threw") await askTests(module, DELIVERY.tests);
        tell(stepOf(file, name, { end, problems: rules.problems, lines }));
      }
    },
    close: async () => {
      await Promise.all([cells.plugin.close(), cells.tests.close()]);
    },
  };
}

interface Asked {
  readonly plugin: string;
  readonly module: CellModule;
  readonly kind: DeliveryKind;
  readonly json: string;
  readonly rules?: TestRules;
}

async function call(cell: Cell, { clock, signal, testMs = TEST_MS }: SandboxOptions, { rules, ...asked }: Asked): Promise<GuestEnd> {
  const sliceMs = asked.kind === DELIVERY.test ? TEST_SLICE_MS : SLICE_MS;
  const held = rules === undefined ? {} : { answer: rules.answer, emit: rules.emit };
  const run = cell.call({ ...asked, ...held, sliceMs, isRepeatable: false });
  const settled = new AbortController();
  signal.addEventListener("abort", run.cancel, { once: true });
  if (signal.aborted) run.cancel();
  const timeout = clock.sleep(testMs, settled.signal).then(() => {
    if (!settled.signal.aborted) run.cancel();
  });
  const end = await run.end;
  settled.abort("settled");
  await timeout;
  signal.removeEventListener("abort", run.cancel);
  return end;
}

function createCell(options: SandboxOptions, kind: CellKind, onLine: (level: LogLevel, line: string) => void): Cell {
  return new Cell({
    workerUrl: options.workerUrl,
    clock: options.clock,
    start: cellStart(kind, options),
    onLog: (_plugin, level, line) => onLine(level, line),
    // The call that broke it says so itself.
    onFault: () => undefined,
  });
}

const moduleOf = (plugin: string, modules: ModuleLocation): CellModule =>
  modules.type !== "file" ? modules : { ...modules, name: `${plugin}/index.js` };

/** Each module gets a guest of its own. */
const nameOf = (plugin: string, module: CellModule): string => (module.type === "tree" ? `${plugin} ${module.entry}` : plugin);

async function listTests(ask: () => Promise<GuestEnd>): Promise<Result<readonly string[], string>> {
  const end = await ask();
  return end.type === "returned" ? readJson(names, end.json, "tests") : err(endWords(end));
}

interface Ended {
  readonly end: GuestEnd;
  /** What it said to people and may not. */
  readonly problems: readonly string[];
  /** What it wrote. */
  readonly lines: readonly string[];
}

function stepOf(file: string, name: string, { end, problems, lines }: Ended): TestStep {
  const isSound = problems.length === 0 && !lines.some((line) => line.startsWith(LEFTOVER));
  if (end.type === "returned" && isSound) return { type: "test", file, name, passed: true };
  const words = [...(end.type === "returned" ? [] : [endWords(end)]), ...problems, ...lines].join("\n");
  return { type: "test", file, name, passed: false, words };
}

const LEFTOVER = "left a rejected promise without a handler: ";
const unhandledWords = (line: string): string => `${LEFTOVER}${errorWords(readGuestError(line))}`;

function endWords(end: Exclude<GuestEnd, { type: "returned" }>): string {
  switch (end.type) {
    case "threw":
      return `failed. ${errorWords(readGuestError(end.json))}`;
    case "stalled":
      return "waits for something that can never happen: await what the test starts, and nothing that nobody resolves.";
    case "cancelled":
      return "was stopped: its time was over, or the check was aborted.";
    case "destroyed":
      return `${destroyWords(end.reason, end.detail)}.`;
  }
}
