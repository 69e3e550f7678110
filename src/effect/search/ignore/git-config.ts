import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import type { BytePath } from "../../paths/index.js";
import { bytesOf, errnoOf, fromText, joinPath, parentOf, resolveAgainst } from "../../paths/index.js";

/** Where a person's own git settings lie. */
export interface GitPlaces {
  /** Files of settings, the strongest last; they need not exist. */
  readonly configs: readonly BytePath[];
  /** What `~` means. */
  readonly home?: BytePath;
  /** Rules that hold where no setting names others. */
  readonly excludes?: BytePath;
}

export const NO_PLACES: GitPlaces = { configs: [] };

/** Places by the variables git looks at (git-config(1), FILES and ENVIRONMENT). */
export function gitPlaces(env: Readonly<Record<string, string>>): GitPlaces {
  const home = folderOf(env["HOME"]);
  const settings = folderOf(env["XDG_CONFIG_HOME"]) ?? (home === undefined ? undefined : joinPath(home, ".config"));
  const isWithoutSystem = /^(?:1|true|yes|on)$/iu.test(env["GIT_CONFIG_NOSYSTEM"] ?? "");
  const system = isWithoutSystem ? [] : [folderOf(env["GIT_CONFIG_SYSTEM"]) ?? fromText("/etc/gitconfig")];
  const named = env["GIT_CONFIG_GLOBAL"];
  const own = [
    ...(settings === undefined ? [] : [joinPath(settings, "git/config")]),
    ...(home === undefined ? [] : [joinPath(home, ".gitconfig")]),
  ];
  return {
    configs: [...system, ...(named === undefined ? own : named.startsWith("/") ? [fromText(named)] : [])],
    ...(home === undefined ? {} : { home }),
    ...(settings === undefined ? {} : { excludes: joinPath(settings, "git/ignore") }),
  };
}

const folderOf = (text: string | undefined): BytePath | undefined => (text?.startsWith("/") === true ? fromText(text) : undefined);

const MAX_FILE_BYTES = 1024 * 1024;

/** Text of a small regular file that is where it seems to be: git does not follow a linked rule file, and a pipe must not be waited for. */
export function readRuleFile(path: BytePath, isLinkFollowed = false): string | undefined {
  try {
    const fd = openSync(bytesOf(path), constants.O_RDONLY | constants.O_NONBLOCK | (isLinkFollowed ? 0 : constants.O_NOFOLLOW));
    try {
      const stats = fstatSync(fd);
      return stats.isFile() && stats.size <= MAX_FILE_BYTES ? readFileSync(fd, "utf8") : undefined;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** One `name = value`; sections and names in lower case, a subsection as it is written: `core.excludesfile`, `remote.Origin.url`. */
export interface GitSetting {
  readonly key: string;
  readonly value: string;
}

const HEADER = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/u;
const NAME = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=|$|(?=[#;]))/u;

/** Settings of one file, in order; lines that are none are passed over. */
export function parseGitConfig(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  const lines = text.replace(/^\ufeff/u, "").split(/\r?\n/u);
  let section = "";
  for (let index = 0; index < lines.length; index += 1) {
    let rest = lines[index] ?? "";
    const header = HEADER.exec(rest);
    if (header !== null) {
      const inner = header[2]?.replace(/\\(.)/gu, "$1");
      section = `${(header[1] ?? "").toLowerCase()}${inner === undefined ? "" : `.${inner}`}`;
      rest = rest.slice(header[0].length);
    }
    const name = NAME.exec(rest);
    if (name === null) continue;
    const key = `${section}.${(name[1] ?? "").toLowerCase()}`;
    if (!name[0].endsWith("=")) {
      settings.push({ key, value: "true" });
      continue;
    }
    const value = readValue(rest.slice(name[0].length), () => lines[(index += 1)]);
    settings.push({ key, value });
  }
  return settings;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };

/** A quoted stretch, an escape, a comment to the end, blanks, or anything else. */
const PIECE = /"((?:[^"\\]|\\.)*)"?|\\(.)|[#;].*|\s+|[^"\\#;\s]+/gsu;

/** Quotes, escapes, comments and lines that go on, as git reads them. */
function readValue(first: string, nextLine: () => string | undefined): string {
  let line = first;
  while (/(?<!\\)(?:\\\\)*\\$/u.test(line)) line = `${line.slice(0, -1)}${nextLine() ?? ""}`;
  let value = "";
  /** Length without blanks at the end. */
  let kept = 0;
  for (const [piece, quoted, escaped] of line.matchAll(PIECE)) {
    if (/^[#;]/u.test(piece)) break;
    if (/^\s/u.test(piece)) {
      if (value !== "") value += piece;
      continue;
    }
    value +=
      quoted === undefined
        ? escaped === undefined
          ? piece
          : unescape(escaped)
        : quoted.replace(/\\(.)/gsu, (_, one: string) => unescape(one));
    kept = value.length;
  }
  return value.slice(0, kept);
}

const unescape = (character: string): string => ESCAPES[character] ?? character;

const MAX_INCLUDES = 10;

/**
 * Settings of a file and of the files it includes, in order. Conditional includes (`includeIf`) are left out: whether one holds
 * depends on branches, remotes and folders that only git itself looks at.
 */
function settingsOf(file: BytePath, home: BytePath | undefined, depth = 0): readonly GitSetting[] {
  const text = readRuleFile(file, true);
  if (text === undefined) return [];
  return parseGitConfig(text).flatMap((setting) => {
    if (setting.key !== "include.path" || depth >= MAX_INCLUDES) return [setting];
    const path = expand(setting.value, parentOf(file), home);
    return path === undefined ? [] : settingsOf(path, home, depth + 1);
  });
}

function expand(value: string, folder: BytePath, home: BytePath | undefined): BytePath | undefined {
  if (value === "") return undefined;
  if (!value.startsWith("~")) return resolveAgainst(folder, fromText(value));
  return value.startsWith("~/") && home !== undefined ? joinPath(home, fromText(value.slice(2))) : undefined;
}

/** What of git's settings decides about files: of a person, and of one repository. */
export interface GitSettings {
  /** Rules of the person for every repository. */
  readonly excludes: BytePath | undefined;
  /** Rules take upper and lower case for the same, as on file systems that do. */
  readonly isFolded: boolean;
  /** Bytes of an object name. */
  readonly hashBytes: number;
}

/** Settings in force in the repository `root` whose own file is `config`. */
export function loadGitSettings(places: GitPlaces, root: BytePath, config: BytePath): GitSettings {
  const settings = [...places.configs, config].flatMap((file) => settingsOf(file, places.home));
  const last = (key: string): string | undefined => settings.findLast((setting) => setting.key === key)?.value;
  const named = last("core.excludesfile");
  return {
    excludes: named === undefined ? places.excludes : expand(named, root, places.home),
    isFolded: /^(?:true|yes|on|[1-9]\d*)$/iu.test(last("core.ignorecase") ?? ""),
    hashBytes: last("extensions.objectformat")?.toLowerCase() === "sha256" ? 32 : 20,
  };
}
