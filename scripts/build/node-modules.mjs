/**
 * Node's own modules without the loader of modules. It makes a copy of each with everything that is in it, loading what stands behind
 * that, and looks each up again for every chunk: a tenth of a short run. What is asked for by hand is just handed out.
 */
import { isBuiltin } from "node:module";

const IMPORT = /^import (?:\{([^}]*)\}|\* as (\w+)) from ("node:[^"]+");/gmu;
const LATER = /\bimport\(("node:[^"]+")\)/gu;

const taken = (specifier) => `process.getBuiltinModule(${specifier})`;
/** Of a source whose other parts alone are used nothing is left. */
const constant = (name, value) => `const ${name} = /* @__PURE__ */ (() => ${value})();`;

/** The text of one of our sources with each of them taken by hand. Lines stay where they are. */
export function takeNodeModules(text) {
  return text
    .replace(IMPORT, (all, names, whole, specifier) => {
      const lines = all.split("\n").length - 1;
      const made =
        whole === undefined
          ? namesIn(names).map(({ from, to }) => constant(to, `${taken(specifier)}.${from}`))
          : [constant(whole, taken(specifier))];
      return made.join(" ") + "\n".repeat(lines);
    })
    .replace(LATER, (_all, specifier) => `Promise.resolve(${taken(specifier)})`);
}

/** `a`, `a as b`; types are nothing at run time. */
export const namesIn = (list) =>
  list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => {
      const [from, to = from] = name.split(/ as /u);
      return { from, to };
    });

/** What packages ask for by `require`. */
export const requiredNodeModules = {
  name: "required-node-modules",
  setup(build) {
    build.onResolve({ filter: /^(?:node:)?[a-z0-9_]+(?:\/[a-z0-9_]+)*$/ }, ({ path, kind, importer }) => {
      if (kind !== "require-call" || !isBuiltin(path)) return undefined;
      // It starts programs for commands that have one of their own. None here has.
      const isIdle = /\/commander\//u.test(importer) && path === "node:child_process";
      // One for each that asks, so that it goes where that goes.
      return { path: `${path.replace(/^node:/u, "")} for ${importer}`, namespace: isIdle ? "idle" : "required" };
    });
    build.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = ${taken(`"node:${path.split(" ")[0]}"`)};`,
    }));
    build.onLoad({ filter: /.*/, namespace: "idle" }, () => ({ contents: "module.exports = {};" }));
  },
};
