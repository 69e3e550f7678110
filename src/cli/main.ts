import type { CliHost } from "./host.js";
import { HELP_COLUMNS } from "./output/width.js";
import { VERSION } from "./version.js";

/** What the process lends before anything else is loaded. */
export interface MainPorts {
  readonly host: () => Promise<CliHost>;
  /** Help of a command (its words, joined by blanks) as the build rendered it, {@link HELP_COLUMNS} wide. */
  readonly renderedHelp: (command: string) => string | undefined;
}

/**
 * The program, from its words to its exit status. Resolves when all output is with the operating system, so that the process
 * may end then and nothing is lost. Answers `--version`, and help that needs no other wrapping, without loading anything else.
 */
export async function main(argv: readonly string[], { host, renderedHelp }: MainPorts): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) return print(`${VERSION}\n`);
  const last = argv.at(-1);
  if ((last === "--help" || last === "-h") && (process.stdout.columns ?? HELP_COLUMNS) >= HELP_COLUMNS) {
    const help = renderedHelp(argv.slice(0, -1).join(" "));
    if (help !== undefined) return print(help);
  }
  try {
    const [{ runCommandLine }, ready] = await Promise.all([import("./commands.js"), host()]);
    return await runCommandLine(argv, ready);
  } catch (error) {
    // Commands report their own bugs; here the program itself is incomplete or could not start.
    if (isMissingFolder(error)) {
      process.stderr.write(MISSING_FOLDER);
      return 2;
    }
    process.stderr.write(`smith cannot start: ${error instanceof Error ? error.message : String(error)}\nBuild or install it again.\n`);
    return 70;
  }
}

const isMissingFolder = (error: unknown): boolean => error instanceof Error && "syscall" in error && error.syscall === "uv_cwd";

const MISSING_FOLDER = `error[cli.folder-gone] The working folder does not exist any more.
  why:  It was removed or renamed since this shell entered it.
  next: Change into another folder (cd) and start smith there.
`;

function print(text: string): Promise<number> {
  return new Promise((resolve) => {
    // A stream tells a failed write twice: to the callback, and as an event that must have a listener.
    process.stdout.on("error", () => undefined);
    process.stdout.write(text, (error) => {
      resolve(error === undefined || error === null || ("code" in error && error.code === "EPIPE") ? 0 : 1);
    });
  });
}
