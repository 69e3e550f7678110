import { main } from "../src/cli/index.js";
import { renderedHelp } from "./rendered-help.js";

// All output is drained when main resolves; whatever still keeps the process alive then is of no use.
process.exit(await main(process.argv.slice(2), { host: async () => (await import("./host.js")).createHost(), renderedHelp }));
