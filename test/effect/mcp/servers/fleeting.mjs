/** Ends as soon as it has told what it has. Every start is noted in the file it is given. */
import { appendFileSync } from "node:fs";
import { serve } from "./serve.mjs";

appendFileSync(process.argv[2], `start ${process.pid}\n`);
const write = (line) => process.stdout.write(line, () => line.includes('"tools"') && line.includes('"echo"') && process.exit(3));
serve({}, { write });
