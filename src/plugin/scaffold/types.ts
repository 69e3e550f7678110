export type ScaffoldKind = "tool" | "command" | "policy" | "provider" | "theme";

/** What the files of a new package are made from. */
export interface Naming {
  readonly id: string;
  /** The last word of the id: what a tool, command or theme of it is called. */
  readonly name: string;
}

/** What one kind writes: manifest, code with its test where there is any, and what the README says of it. */
export interface KindFiles {
  readonly manifest: string;
  /** Left out: all it brings is data. */
  readonly code?: { readonly main: string; readonly test: string };
  readonly about: string;
}

/** How a module of a plugin gives what it brings. Nothing in the program itself is exported so. */
export const EXPORT = "export default";
