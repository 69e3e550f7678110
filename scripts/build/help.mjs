/** Help of every command, rendered once by the program itself, so that asking for it loads nothing. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export async function writeHelp({ out }) {
  const texts = {};
  const render = async (command) => {
    const { stdout } = await run(process.execPath, [join(out, "smith.js"), ...command, "--help"], {
      // Nothing of whoever builds may change what is shipped.
      env: { PATH: process.env.PATH, HOME: out },
      encoding: "utf8",
    });
    texts[command.join(" ")] = stdout;
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
