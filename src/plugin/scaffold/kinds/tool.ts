import { EXPORT, type KindFiles, type Naming } from "../types.js";

/** A tool that reads a file of the workspace and counts what is in it. */
export const toolFiles = ({ id, name }: Naming): KindFiles => ({
  about: "A tool for the model: it counts the lines and words of a file. Ask smith how many words README.md has.",
  manifest: `plugin "${id}" version="0.1.0" sdk=1 entry="src/main.ts" {
  description "Counts the lines and words of files"
  // What is not granted here is refused, whatever the code does.
  grants { fs read="workspace" }
  tool "${name}" read-only=#true timeout-ms=10000 {
    description "Counts the lines and words of a text file."
    summary "path"
    arg "path" type="string" required=#true help="File, relative to the working directory"
  }
}
`,
  code: {
    main: `import { definePlugin, failure, result, type Tool } from "smith-agent/plugin";

interface Args {
  readonly path: string;
}

/** The arguments were checked against the manifest. What is thrown, also by the context, the model sees as the tool's error. */
export const count: Tool<Args> = async ({ path }, context) => {
  const file = await context.fs.read({ path });
  if (file.type !== "text") return failure(\`\${path} is not a text file.\`);
  const words = file.lines.flatMap((line) => line.split(/\\s+/u)).filter((word) => word !== "").length;
  return result(\`\${path} has \${file.lines.length} lines and \${words} words.\`, { summary: \`\${words} words\` });
};

${EXPORT} definePlugin({ tools: { "${name}": count } });
`,
    test: `import { test } from "smith-agent/plugin";
import { count } from "../src/main.js";

test("lines and words are counted", async (t) => {
  const context = t.context({
    "fs.read": ({ path }) => ({
      type: "text",
      path,
      lines: ["one two", "", "three"],
      firstLine: 1,
      totalLines: 3,
      totalBytes: 14,
      cutLines: [],
      truncated: false,
      encoding: "utf-8",
    }),
  });
  const counted = await count({ path: "a.txt" }, context);
  t.equal(counted.text, "a.txt has 3 lines and 3 words.");
});

test("a file that may not be read is the tool's error", async (t) => {
  let code = "";
  try {
    await count({ path: "/etc/passwd" }, t.context());
  } catch (error) {
    code = (error as { code: string }).code;
  }
  t.equal(code, "grant.denied");
});
`,
  },
});
