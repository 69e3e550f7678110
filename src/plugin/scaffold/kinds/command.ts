import { EXPORT, type KindFiles, type Naming } from "../types.js";

/** A command that asks the model for something with the person's words in it. */
export const commandFiles = ({ id, name }: Naming): KindFiles => ({
  about: `A command for people: \`/${name} parser\` asks the model to explain the parser. \`ctrl+x\` does it without a topic.`,
  manifest: `plugin "${id}" version="0.1.0" sdk=1 entry="src/main.ts" {
  description "Asks for an explanation of a part of the code"
  grants { ui "notify"; }
  command "${name}" usage="[topic]" help="Explains a part of the code"
  key "ctrl+x" command="${name}"
  config {
    option "${name}.words" type="integer" default=200 min=20 max=2000 help="Longest explanation, in words"
  }
}
`,
  code: {
    main: `import { type Command, definePlugin } from "smith-agent/plugin";

/** What a command returns is carried out as one batch, or refused as one. */
export const explain: Command = (args, context) => {
  const words = Number(context.config["${name}.words"] ?? 200);
  const topic = args === "" ? "this project" : args;
  return [
    { type: "notify", text: \`Asking about \${topic}\` },
    { type: "enqueue", text: \`Explain \${topic} in at most \${words} words. Name the files you mean.\` },
  ];
};

${EXPORT} definePlugin({ commands: { "${name}": explain } });
`,
    test: `import { test } from "smith-agent/plugin";
import { explain } from "../src/main.js";

test("the topic and the configured length are in the question", async (t) => {
  // Fails where a session would refuse the actions.
  const actions = await t.actions("command", explain("the parser", t.context({}, { config: { "${name}.words": 50 } })));
  t.equal(actions, [
    { type: "notify", text: "Asking about the parser" },
    { type: "enqueue", text: "Explain the parser in at most 50 words. Name the files you mean." },
  ]);
});

test("without a topic it is about the project", async (t) => {
  const actions = await t.actions("command", explain("", t.context()));
  t.ok(JSON.stringify(actions).includes("Explain this project in at most 200 words"));
});
`,
  },
});
