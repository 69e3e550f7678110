/** Talks on both outputs, and writes its messages in pieces of three bytes. */
import { setImmediate as turn } from "node:timers/promises";
import { serve, text } from "./serve.mjs";

process.stderr.write("e".repeat(5 * 1024 * 1024));
process.stderr.write("\nlast words\n");
process.stdout.write('Ready v1.2\n\n{"hello":1}\n');
let writing = Promise.resolve();
const write = (line) => {
  writing = writing.then(async () => {
    const bytes = Buffer.from(line);
    for (let at = 0; at < bytes.length; at += 3) {
      process.stdout.write(bytes.subarray(at, at + 3));
      await turn();
    }
    process.stdout.write("a log line between\n");
  });
};
serve(
  {
    "tools/list": () => ({ tools: ["größe", "naïve", "日本"].map((name) => ({ name, description: `€ ${name} 😀` })) }),
    "tools/call": ({ name }) => text(`${name} 😀€`),
  },
  { write },
);
