import { type Action, type Command, definePlugin, failure, isHostError, result, type Tool, type ToolContext } from "smith-agent/plugin";
import { findSkill, readBeside, type Skill } from "./text.js";

export interface SkillArgs {
  readonly name: string;
  readonly file?: string;
}

const LISTED = { depth: 3, limit: 100, includeIgnored: true } as const;
/** Files that are the skill itself. */
const OWN = new Set(["SKILL.md", "skill.json"]);

/** Names of collected files are in small letters. Gives a skill with the files beside it, or one of those. */
export const skill: Tool<SkillArgs> = async ({ name: given, file }, context) => {
  const name = given.trim().toLowerCase();
  const found = await findSkill(name, context);
  if (!found.ok) return failure(found.problem);
  if (file !== undefined && file !== "") return result(await readBeside(found.skill, file, context), { summary: file });
  const files = await filesBeside(found.skill, context);
  const shown = files.names.length === 0 ? [] : [`Files beside it, read with file:\n${files.names.map((path) => `- ${path}`).join("\n")}`];
  return result([`Skill ${name}, in ${found.skill.folder}`, ...shown, ...files.notes, found.skill.text].join("\n\n"), {
    summary: files.names.length === 0 ? "read" : `read, ${files.names.length} files beside it`,
  });
};

interface Beside {
  readonly names: readonly string[];
  readonly notes: readonly string[];
}

/** A folder that may not be listed takes nothing from the skill itself. */
async function filesBeside({ folder }: Skill, { fs }: ToolContext): Promise<Beside> {
  try {
    const { items, truncated } = await fs.list({ path: folder, ...LISTED });
    const names = items.filter(({ kind, name }) => kind === "file" && !OWN.has(name)).map(({ name }) => name);
    return { names, notes: truncated ? ["[There are more files than are listed here.]"] : [] };
  } catch (error) {
    if (!isHostError(error)) throw error;
    return { names: [], notes: [`[Files beside it are not listed: ${error.what}]`] };
  }
}

const send = (text: string, { name, folder }: Pick<Skill, "name" | "folder">, request: string): readonly Action[] => [
  {
    type: "enqueue",
    text: [
      `Follow this skill:`,
      `<skill name="${name}" folder="${folder}">\n${text.trim()}\n</skill>`,
      ...(request.trim() === "" ? [] : [request.trim()]),
    ].join("\n\n"),
  },
];

/** `/skill:name request`, made for each `SKILL.md`. */
export const skillOfItem: Command = (args, { item }) =>
  item === undefined ? [] : send(item.text, { name: item.name, folder: item.path.slice(0, Math.max(0, item.path.lastIndexOf("/"))) }, args);

/** `/skill NAME request`, for skills of both forms. */
export const skillByName: Command = async (args, context) => {
  const [, given = "", request = ""] = /^(\S*)\s*([^]*)$/u.exec(args.trim()) ?? [];
  const name = given.toLowerCase();
  if (name === "") return [{ type: "notify", text: "Write /skill NAME and what it is to be used for.", role: "error" }];
  const found = await findSkill(name, context);
  return found.ok ? send(found.skill.text, found.skill, request) : [{ type: "notify", text: found.problem, role: "error" }];
};

export default definePlugin({ tools: { skill }, commands: { skill: skillByName, "skill:": skillOfItem } });
