import { describe, expect, test } from "vitest";
import { skill, skillByName, skillOfItem } from "../../plugins/skills/index.js";
import type { Action, CommandContext, FsListOutput, ToolContext } from "../../src/plugin/sdk.js";

const hostError = (code: string, what: string): Error =>
  Object.assign(new Error(what), { name: "HostError", code, what, why: "why", next: "next" });

interface Files {
  /** By `kind/name`, or `kind/name/path` for what is beside it. */
  readonly files: { readonly [key: string]: string };
  readonly list?: FsListOutput | Error;
}

const NOTHING: FsListOutput = { path: "x", items: [], truncated: false, ignoredCount: 0 };

/** A context whose resources and folder are as given. */
function contextOf({ files, list = NOTHING }: Files): ToolContext & CommandContext {
  return {
    resource: {
      read: async ({ kind, name, path }: { kind: string; name: string; path?: string }) => {
        const text = files[[kind, name, ...(path === undefined ? [] : [path])].join("/")];
        if (text === undefined)
          throw hostError(path === undefined ? "resource.unknown" : "fs.not-found", `${path ?? name} does not exist.`);
        return { path: `.smith/skills/${name}/${path ?? (kind === "skill" ? "SKILL.md" : "skill.json")}`, text };
      },
    },
    fs: {
      list: async (input: unknown) => {
        expect(input).toEqual({ path: ".smith/skills/pdf", depth: 3, limit: 100, includeIgnored: true });
        if (list instanceof Error) throw list;
        return list;
      },
    },
  } as unknown as ToolContext & CommandContext;
}

const manifest = (fields: object): string => JSON.stringify({ name: "pdf", system_prompt_file: "prompt.md", ...fields });
const withManifest = (fields: object, more: Files["files"] = {}): Files => ({
  files: { "skill-manifest/pdf": manifest(fields), "skill-manifest/pdf/prompt.md": "Do it so.\n", ...more },
});

describe("the tool skill", () => {
  test("gives the text with its folder and the files beside it", async () => {
    const list: FsListOutput = {
      ...NOTHING,
      items: [
        { name: "SKILL.md", kind: "file" },
        { name: "scripts", kind: "directory" },
        { name: "scripts/fill.py", kind: "file" },
      ],
    };
    expect(await skill({ name: "pdf" }, contextOf({ files: { "skill/pdf": "Fill forms." }, list }))).toEqual({
      isError: false,
      summary: "read, 1 files beside it",
      text: "Skill pdf, in .smith/skills/pdf\n\nFiles beside it, read with file:\n- scripts/fill.py\n\nFill forms.",
    });
  });

  test("says when there are more files than it lists, and when none may be listed", async () => {
    const files = { "skill/pdf": "Fill forms." };
    expect(await skill({ name: "pdf" }, contextOf({ files, list: { ...NOTHING, truncated: true } }))).toMatchObject({
      text: expect.stringContaining("[There are more files") as string,
    });
    expect(await skill({ name: "pdf" }, contextOf({ files, list: hostError("grant.denied", "No.") }))).toMatchObject({
      isError: false,
      text: "Skill pdf, in .smith/skills/pdf\n\n[Files beside it are not listed: No.]\n\nFill forms.",
    });
  });

  test("gives a file beside a skill of either form", async () => {
    const files = { "skill/pdf": "x", "skill/pdf/a.md": "A", ...withManifest({}).files };
    expect(await skill({ name: "pdf", file: "a.md" }, contextOf({ files }))).toEqual({ isError: false, text: "A", summary: "a.md" });
    expect(await skill({ name: "pdf", file: "prompt.md" }, contextOf(withManifest({})))).toMatchObject({ text: "Do it so.\n" });
  });

  test("lets the host say what is wrong with a file", async () => {
    await expect(skill({ name: "pdf", file: "no.md" }, contextOf({ files: { "skill/pdf": "x" } }))).rejects.toMatchObject({
      code: "fs.not-found",
    });
  });

  test("takes a name in capitals for the same", async () => {
    expect(await skill({ name: " PDF" }, contextOf({ files: { "skill/pdf": "x" } }))).toMatchObject({ isError: false });
  });

  test("knows only what is there", async () => {
    expect(await skill({ name: "zip" }, contextOf({ files: {} }))).toEqual({ isError: true, text: 'There is no skill "zip".' });
  });
});

describe("a skill.json", () => {
  const text = async (files: Files): Promise<string> => (await skill({ name: "pdf" }, contextOf(files))).text;
  const body = async (files: Files): Promise<string> => (await text(files)).replace("Skill pdf, in .smith/skills/pdf\n\n", "");

  test("is its prompt, and its context as JSON after it", async () => {
    expect(await body(withManifest({ context_file: "c.json" }, { "skill-manifest/pdf/c.json": '{ "a": [1, 2] }' }))).toBe(
      '# Skill: pdf\n\nDo it so.\n\n# Skill Context: pdf\n\n{"a":[1,2]}',
    );
    expect(await body(withManifest({ context_file: "c.json" }, { "skill-manifest/pdf/c.json": "null" }))).toBe("# Skill: pdf\n\nDo it so.");
  });

  test("says that the servers it names are not connected", async () => {
    expect(await body(withManifest({ mcp_servers: [{}] }))).toContain("not connected");
    expect(await body(withManifest({ mcp_servers: [] }))).not.toContain("not connected");
  });

  test.each<[string, Files, string]>([
    ["that is no JSON", { files: { "skill-manifest/pdf": "{" } }, "no `name`"],
    ["that is a list", { files: { "skill-manifest/pdf": "[]" } }, "no `name`"],
    ["without a prompt", withManifest({ system_prompt_file: "" }), "no `system_prompt_file`"],
    ["with a context that is no path", withManifest({ context_file: 1 }), "`context_file` is not a path"],
    ["with a context that is no JSON", withManifest({ context_file: "c" }, { "skill-manifest/pdf/c": "{" }), "c is not JSON"],
  ])("%s is refused and says why", async (_name, files, problem) => {
    expect(await skill({ name: "pdf" }, contextOf(files))).toEqual({
      isError: true,
      text: expect.stringContaining(problem) as string,
    });
  });

  test("has 16 KiB of context, counted as UTF-8, and one byte more is refused, not cut", async () => {
    const context = (count: number): Files =>
      withManifest({ context_file: "c" }, { "skill-manifest/pdf/c": JSON.stringify("é".repeat(count)) });
    expect(await text(context(8191))).toContain("é");
    expect(await skill({ name: "pdf" }, contextOf(context(8192)))).toEqual({
      isError: true,
      text: ".smith/skills/pdf/skill.json cannot be used: c has 16386 bytes of data; 16384 are the most, and it is not cut.",
    });
  });

  test.each(["a/b", "", "é", 7, undefined])(
    "whose name is %j is refused: it could not be told from another's as a prefix",
    async (name) => {
      expect(await skill({ name: "pdf" }, contextOf(withManifest({ name })))).toMatchObject({
        isError: true,
        text: expect.stringContaining("no `name`") as string,
      });
    },
  );
});

describe("the commands", () => {
  const sent = (name: string, folder: string, text: string, request = ""): readonly Action[] => [
    { type: "enqueue", text: `Follow this skill:\n\n<skill name="${name}" folder="${folder}">\n${text}\n</skill>${request}` },
  ];

  test("/skill:name sends the skill and the request", async () => {
    const context = {
      item: { name: "pdf", path: "/home/skills/pdf/SKILL.md", text: "Fill forms.\n", attributes: {} },
    } as unknown as CommandContext;
    expect(await skillOfItem(" form.pdf ", context)).toEqual(sent("pdf", "/home/skills/pdf", "Fill forms.", "\n\nform.pdf"));
    expect(await skillOfItem("", context)).toEqual(sent("pdf", "/home/skills/pdf", "Fill forms."));
  });

  test("/skill NAME does the same for both forms", async () => {
    expect(await skillByName("pdf form.pdf now", contextOf({ files: { "skill/pdf": "Fill forms." } }))).toEqual(
      sent("pdf", ".smith/skills/pdf", "Fill forms.", "\n\nform.pdf now"),
    );
    expect(await skillByName("pdf", contextOf(withManifest({})))).toEqual(sent("pdf", ".smith/skills/pdf", "# Skill: pdf\n\nDo it so."));
  });

  test.each(["", "zip please"])("/skill with %j says what is missing", async (args) => {
    expect(await skillByName(args, contextOf({ files: {} }))).toMatchObject([{ type: "notify", role: "error" }]);
  });
});
