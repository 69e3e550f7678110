import ts from "typescript";
import type { SourceFile } from "../../test/architecture/source.js";

/** One chapter: the declarations of a file, in its order. */
interface Chapter {
  readonly title: string;
  readonly path: string;
  /** Further files it is made from, after the first. */
  readonly beside?: readonly string[];
  readonly intro: string;
  /** Declarations whose members or variants each need words of their own. */
  readonly inDetail: readonly string[];
}

const CHAPTERS: readonly Chapter[] = [
  {
    title: "The module",
    path: "src/plugin/sdk.ts",
    intro: "What a plugin's module exports, what its functions are given, and the helpers for both.",
    inDetail: ["PluginContext", "CommandContext", "HandlerContext", "HostError", "Provider", "Plugin", "TestContext"],
  },
  {
    title: "Operations",
    path: "src/schema/sdk/table.ts",
    beside: ["files", "search", "process", "job", "work", "mcp", "sub-agent"].map((name) => `src/schema/sdk/${name}.ts`),
    intro: "What a plugin can ask the host to do. Bounds, grants and outcomes are told in [Operations](operations.md).",
    inDetail: ["SdkOperations"],
  },
  {
    title: "Lifecycle events",
    path: "src/schema/lifecycle.ts",
    intro: "What happens in a session, told to the handlers a manifest declares.",
    inDetail: ["LifecycleEvent"],
  },
  {
    title: "Actions",
    path: "src/schema/action.ts",
    intro: "What handlers and commands return. A batch is carried out as a whole or refused as a whole.",
    inDetail: ["Action", "ContextTransform"],
  },
  {
    title: "Words for people",
    path: "src/schema/ui.ts",
    intro: "Results, questions and notices by meaning; each frontend shows them its own way.",
    inDetail: [],
  },
];

const INTRO = `# Plugin SDK

Everything \`smith-agent/plugin\` exports for authors, made from the declarations themselves. How to begin is told in [Writing plugins](../guide/writing-plugins.md), what a
manifest declares in [Plugin manifest](plugin-manifest.md).`;

/** The SDK reference as Markdown. Fails, with their names, when something exported has no description. */
export function renderSdkReference(sources: readonly SourceFile[]): string {
  const missing: string[] = [];
  const chapters = CHAPTERS.map((chapter) => {
    const found = [chapter.path, ...(chapter.beside ?? [])].flatMap((name) => {
      const source = sources.find(({ path }) => path === name);
      if (source === undefined) throw new Error(`${name} is not there`);
      const { tree, text } = source;
      const all = tree.statements.flatMap((statement) => declared(statement, text));
      for (const one of all) missing.push(...undescribed(one, { ...chapter, path: name }, text));
      return all;
    });
    return [`## ${chapter.title}`, chapter.intro, ...found.map(section)].join("\n\n");
  });
  if (missing.length > 0) throw new Error(`No description: ${missing.join(", ")}. Write a docstring for each.`);
  return `${[INTRO, ...chapters].join("\n\n")}\n`;
}

type Documented = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.FunctionDeclaration | ts.VariableStatement;

interface Declared {
  readonly name: string;
  readonly node: Documented;
  readonly isExported: boolean;
  readonly description: string;
  readonly code: string;
}

const isExported = (node: Documented): boolean => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

const isDocumented = (node: ts.Statement): node is Documented =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isFunctionDeclaration(node) || ts.isVariableStatement(node);

/** What others are made of is shown with them, though no author imports it. */
function declared(node: ts.Statement, text: string): readonly Declared[] {
  if (!isDocumented(node)) return [];
  const description = describe(text.slice(node.getFullStart(), node.getStart()));
  return [{ name: nameOf(node), node, isExported: isExported(node), description, code: codeOf(node, text) }];
}

const nameOf = (node: Documented): string =>
  ts.isVariableStatement(node) ? (node.declarationList.declarations[0]?.name.getText() ?? "") : (node.name?.getText() ?? "");

/** The words of the last docstring in a stretch of source, on one line a paragraph. */
function describe(before: string): string {
  const comment = [...before.matchAll(/\/\*\*([^]*?)\*\//gu)].at(-1)?.[1] ?? "";
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/u, "").trim());
  return lines
    .join("\n")
    .trim()
    .replaceAll(/\{@link (\w+)\}/gu, "`$1`");
}

/** The declaration as an author sees it: no body, no `export`, the docstrings of members kept. */
function codeOf(node: Documented, text: string): string {
  const source = text.slice(node.getStart(), node.getEnd());
  if (ts.isFunctionDeclaration(node))
    return `${source.slice(0, (node.body?.getStart() ?? node.getEnd()) - node.getStart()).trim()};`.replace(/^export /u, "");
  const value = ts.isVariableStatement(node) ? node.declarationList.declarations[0]?.initializer : undefined;
  if (value !== undefined && ts.isArrowFunction(value)) {
    const parameters = value.parameters.map((parameter) => parameter.getText()).join(", ");
    return `function ${nameOf(node)}(${parameters}): ${value.type?.getText() ?? "void"};`;
  }
  return source.replace(/^export (?:declare )?/u, "");
}

const section = ({ name, description, code }: Declared): string =>
  [`### ${name}`, ...(description === "" ? [] : [description]), `\`\`\`ts\n${code}\n\`\`\``].join("\n\n");

function undescribed({ name, node, isExported, description }: Declared, { path, inDetail }: Chapter, text: string): readonly string[] {
  const own = isExported && description === "" ? [`${path} ${name}`] : [];
  const parts = inDetail.includes(name) ? partsOf(node, text) : [];
  return [...own, ...parts.filter((part) => part.description === "").map((part) => `${path} ${name}: ${part.name}`)];
}

interface Part {
  readonly name: string;
  readonly description: string;
}

/** Members of an interface, variants of a union, each with the docstring before it. */
function partsOf(node: Documented, text: string): readonly Part[] {
  if (ts.isInterfaceDeclaration(node))
    return node.members.map((member) => ({
      name: member.name?.getText() ?? "",
      description: describe(text.slice(member.getFullStart(), member.getStart())),
    }));
  if (!ts.isTypeAliasDeclaration(node) || !ts.isUnionTypeNode(node.type)) return [];
  let before = node.name.getEnd();
  return node.type.types.map((variant) => {
    // The docstring stands before the bar, which belongs to no variant.
    const description = describe(text.slice(before, variant.getStart()));
    before = variant.getEnd();
    return { name: variant.getText().slice(0, 60), description };
  });
}
