/** Help of every command, rendered once by the program itself, so that asking for it loads nothing. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A command and a command below it: help that seems to name more was read wrongly. */
const MAX_WORDS = 2;

export async function writeHelp({ out }) {
  const texts = {};
  const render = async (command) => {
    const { stdout } = await run(process.execPath, [join(out, "smith.js"), ...command, "--help"], {
      // Nothing of whoever builds may change what is shipped.
      env: { PATH: process.env.PATH, HOME: out },
      encoding: "utf8",
    });
    texts[command.join(" ")] = stdout;
    if (command.length > MAX_WORDS) throw new Error(`the help of "${command.slice(0, -1).join(" ")}" seems to name commands: ${stdout}`);
    const names = [...(stdout.split("\nCommands:\n")[1] ?? "").matchAll(/^ {2}([a-z][a-z-]*)/gmu)].map(([, name]) => name);
    await Promise.all(names.filter((name) => name !== "help").map((name) => render([...command, name])));
  };
  await render([]);
  writeFileSync(
    join(out, "help.json"),
    JSON.stringify(
      Object.fromEntries(
        Object.keys(texts)
          .sort()
          .map((name) => [name, texts[name]]),
      ),
    ),
  );
}
