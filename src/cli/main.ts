import type { CliHost } from "./host.js";
import { VERSION } from "./version.js";

/**
 * The program, from its words to its exit status. Resolves when all output is with the operating system, so that the process
 * may end then and nothing is lost. Answers `--version` without loading anything else.
 */
export async function main(argv: readonly string[], host: () => Promise<CliHost>): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) return printVersion();
  try {
    const [{ runCommandLine }, ready] = await Promise.all([import("./commands.js"), host()]);
    return await runCommandLine(argv, ready);
  } catch (error) {
    // Commands report their own bugs; here the program itself is incomplete or could not start.
    process.stderr.write(`smith cannot start: ${error instanceof Error ? error.message : String(error)}\nBuild or install it again.\n`);
    return 70;
  }
}

function printVersion(): Promise<number> {
  return new Promise((resolve) => {
    // A stream tells a failed write twice: to the callback, and as an event that must have a listener.
    process.stdout.on("error", () => undefined);
    process.stdout.write(`${VERSION}\n`, (error) => {
      resolve(error === undefined || error === null || ("code" in error && error.code === "EPIPE") ? 0 : 1);
    });
  });
}
