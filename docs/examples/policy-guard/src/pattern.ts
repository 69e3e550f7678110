/**
 * Whether a path, relative with `/`, fits a pattern: `**` stands for any folders or none, `*` for a part of one name, everything else for
 * itself. Letters of either case are the same: to some file systems they are.
 */
export const fits = (path: string, pattern: string): boolean => expressionOf(pattern).test(path);

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .split(/(\*\*\/|\*\*|\*)/u)
    .map((part) => WILDCARDS.get(part) ?? part.replace(/[\\^$.|?+()[\]{}]/gu, String.raw`\$&`))
    .join("");
  return new RegExp(`^${source}$`, "iu");
}

const WILDCARDS: ReadonlyMap<string, string> = new Map([
  ["**/", "(?:[^/]+/)*"],
  ["**", ".*"],
  ["*", "[^/]*"],
]);

/** A path as a call names it, relative to the workspace; with leading `..` where it leads out of it. */
export function relativePath(path: string, cwd: string): string {
  const inside = path === cwd || path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
  const parts: string[] = [];
  for (const part of inside.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}
