/** Words that the shell takes as they are: no expansion, quoting, redirection or list can hide in them. */
const PLAIN = /^[\w@%+:,./ =-]+$/u;

const patternOf = (granted: string): RegExp => new RegExp(`^${granted.replace(/[\\^$.+?()[\]{}|]/gu, "\\$&").replaceAll("*", ".*")}$`, "u");

/**
 * Whether a command line runs nothing but granted programs. `*` grants every command. Any other grant covers only a single
 * program with plain words, since a shell would otherwise run whatever the line says.
 */
export function isGranted(command: string, granted: readonly string[]): boolean {
  if (granted.includes("*")) return true;
  const program = programOf(command);
  if (!PLAIN.test(command) || program.includes("=")) return false;
  return granted.some((pattern) => patternOf(pattern).test(program));
}

/** The first word of a command line. */
export const programOf = (command: string): string => command.trim().split(/\s+/u, 1)[0] ?? "";
