import { EXPORT, type KindFiles, type Naming } from "../types.js";

/** A policy that is asked before each shell command and denies some. */
export const policyFiles = ({ id, name }: Naming): KindFiles => ({
  about: "A policy: it denies shell commands that would push over the history of others, and says what to do instead.",
  manifest: `plugin "${id}" version="0.1.0" sdk=1 entry="src/main.ts" {
  description "Denies shell commands that rewrite shared history"
  // required: a call it cannot judge, because it failed or took too long, is denied.
  handler "tool-proposed" order=50 timeout-ms=500 required=#true tools="shell"
  config {
    option "${name}.deny" type="string[]" help="Texts a command must not hold"
  }
}
`,
  code: {
    main: `import { definePlugin, type Handler } from "smith-agent/plugin";

/** Whole words: --force-with-lease is another one. */
const FORCED = /\\bpush\\b.*\\s(?:--force|-f)(?:\\s|$)/u;

/** An event is a snapshot. What a handler wants it returns as actions; nothing means that it has nothing to say. */
export const judge: Handler<"tool-proposed"> = (event, context) => {
  const command = typeof event.args["command"] === "string" ? event.args["command"] : "";
  const configured = context.config["${name}.deny"];
  const texts = Array.isArray(configured) ? configured.map(String) : [];
  const found = FORCED.test(command) ? "push --force" : texts.find((text) => command.includes(text));
  if (found === undefined) return undefined;
  return [{ type: "deny-tool", call: event.call, why: \`"\${found}" is not allowed here. Use --force-with-lease, or ask the person.\` }];
};

${EXPORT} definePlugin({ handlers: { "tool-proposed": judge } });
`,
    test: `import { test, type TestContext } from "smith-agent/plugin";
import { judge } from "../src/main.js";

/** An event has usual values for what is not said. */
const proposed = (t: TestContext, command: string) => t.event("tool-proposed", { tool: "shell", args: { command } });

test("a forced push is denied, and the model is told what to do instead", async (t) => {
  const event = proposed(t, "git push --force");
  // Fails where a session would refuse the actions.
  const actions = await t.actions(event, judge(event, t.context()));
  t.equal(actions.map(({ type }) => type), ["deny-tool"]);
  t.ok(JSON.stringify(actions).includes("--force-with-lease"));
});

test("other commands are none of its business, and what it advises is one of them", async (t) => {
  for (const command of ["git push", "git push --force-with-lease", "git log -f"]) {
    const event = proposed(t, command);
    t.equal(await t.actions(event, judge(event, t.context())), [], command);
  }
});

test("the configuration adds to what is denied", async (t) => {
  const event = proposed(t, "rm -rf dist");
  const context = t.context({}, { config: { "${name}.deny": ["rm -rf"] } });
  t.equal((await t.actions(event, judge(event, context))).length, 1);
});
`,
  },
});
