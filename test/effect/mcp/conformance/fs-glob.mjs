/** The official harness imports a function of `fs` that came with Node 22 and that its client scenarios never call: below that it gets one. */
import * as fs from "node:fs";
import { register } from "node:module";

if (!("globSync" in fs)) {
  const source = `
    export * from "node:fs";
    export { default } from "node:fs";
    export const globSync = () => { throw new Error("not before Node 22"); };
  `;
  const stand = JSON.stringify(`data:text/javascript,${encodeURIComponent(source)}`);
  const hook = `
    export const resolve = (name, context, next) =>
      name === "fs" && context.parentURL?.includes("/conformance/dist/")
        ? { url: ${stand}, format: "module", shortCircuit: true }
        : next(name, context);
  `;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
