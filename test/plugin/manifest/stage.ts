import { type CompiledManifest, compileManifest, type ManifestOptions } from "../../../src/plugin/manifest/index.js";

export const PATH = "p/manifest.kdl";

export const FILES: { readonly [name: string]: string } = {
  "description.md": "Reads a file.\n\n",
  "system.md": "You are careful.\n",
  "themes/acme.kdl": 'style "accent" fg="#AABBCC" bold=#true\nstyle "muted" dim=#true\n',
  "themes/broken.kdl": 'style "accent" fg="red"\nstile "x"\n',
  "themes/cut.kdl": 'style "accent',
  "long.md": "x".repeat(256 * 1024 + 1),
};

export const readFile = (name: string): string | undefined => (Object.hasOwn(FILES, name) ? FILES[name] : undefined);

/** A manifest with this body; its first line is line 3. */
export const plugin = (body: string, head = `"acme.read" version="0.1.0" sdk=1 entry="index.ts"`): string =>
  `plugin ${head} {\n  description "Reads files"\n${body}\n}\n`;

/** A manifest with a tool of this body; its first line is line 5. */
export const tool = (body: string): string => plugin(`  tool "read" {\n    description "d"\n${body}\n  }`);

export const compile = (text: string, options: ManifestOptions = {}) => compileManifest(text, readFile, { path: PATH, ...options });

export async function compiled(text: string, options: ManifestOptions = {}): Promise<CompiledManifest> {
  const result = await compile(text, options);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** Problems as `line:column code what | why | next`, each in the manifest unless its path is told before. */
export async function told(text: string, options: ManifestOptions = {}): Promise<readonly string[]> {
  const result = await compile(text, options);
  if (result.ok) return [];
  return result.error.map(({ code, what, why, next, source }) => {
    if (source?.type !== "file") throw new Error("no place");
    const path = source.path === PATH ? "" : `${source.path} `;
    return `${path}${String(source.line)}:${String(source.column)} ${code} ${what} | ${why} | ${next}`;
  });
}

/** The same without the reason. */
export const problems = async (text: string, options: ManifestOptions = {}): Promise<readonly string[]> =>
  (await told(text, options)).map((problem) => problem.replace(/ \| .* \| /u, " | "));
