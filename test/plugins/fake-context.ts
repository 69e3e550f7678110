import type { SdkOperation, SdkOperations, Tool, ToolContext, ToolOutput } from "../../src/plugin/sdk.js";

type Call<Op extends SdkOperation> = (input: SdkOperations[Op]["input"]) => Promise<SdkOperations[Op]["output"]>;

/** Operations a test answers; any other one rejects, so that an unexpected effect fails the test. */
export interface Answers {
  readonly read?: Call<"fs.read">;
  readonly write?: Call<"fs.write">;
  readonly edit?: Call<"fs.edit">;
  readonly patch?: Call<"fs.patch">;
  readonly list?: Call<"fs.list">;
  readonly find?: Call<"search.find">;
  readonly grep?: Call<"search.grep">;
  readonly run?: Call<"process.run">;
  readonly fetch?: Call<"net.fetch">;
  readonly markdown?: Call<"text.markdown">;
  readonly evaluate?: Call<"evaluate.run">;
  readonly ui?: Partial<ToolContext["ui"]>;
  readonly state?: Partial<ToolContext["state"]>;
  /** Told of each wait. */
  readonly sleep?: (ms: number) => Promise<void>;
}

/** A tool context over the given answers. */
export function fakeContext(answers: Answers): ToolContext {
  const unexpected = async (): Promise<never> => {
    throw new Error("an operation that the test did not expect");
  };
  const refusing = { fetch: unexpected, markdown: unexpected, evaluate: unexpected, sleep: unexpected };
  const { fetch, markdown, evaluate, sleep } = { ...refusing, ...answers };
  return {
    cwd: "/work",
    now: 0,
    fs: {
      read: answers.read ?? unexpected,
      write: answers.write ?? unexpected,
      edit: answers.edit ?? unexpected,
      patch: answers.patch ?? unexpected,
      list: answers.list ?? unexpected,
      stat: unexpected,
    },
    search: { find: answers.find ?? unexpected, grep: answers.grep ?? unexpected },
    process: { run: answers.run ?? unexpected, start: unexpected, jobs: unexpected, output: unexpected, kill: unexpected },
    config: {},
    net: { fetch },
    evaluate: { run: evaluate },
    vcs: { status: unexpected, diff: unexpected },
    state: { get: unexpected, former: unexpected, put: unexpected, delete: unexpected, ...answers.state },
    ui: {
      ask: unexpected,
      choose: unexpected,
      confirm: unexpected,
      notify: () => undefined,
      status: () => undefined,
      progress: () => undefined,
      ...answers.ui,
    },
    resource: { read: unexpected },
    clock: { sleep, now: unexpected },
    secrets: { keep: unexpected },
    entropy: { bytes: unexpected },
    text: { diff: unexpected, markdown },
    mcp: { servers: unexpected, call: unexpected, read: unexpected, resources: unexpected, prompt: unexpected, reconnect: unexpected },
    tools: { searchable: unexpected },
    agent: { run: unexpected },
  };
}

/** Runs a tool over the given answers. */
export async function runTool<Args>(tool: Tool<Args>, args: Args, answers: Answers): Promise<ToolOutput> {
  return tool(args, fakeContext(answers));
}
