/**
 * `smith:sdk` inside the sandbox: the run-time side of `src/plugin/sdk.ts`, name for name (a test holds them together).
 * Pure functions; host operations reach a tool only through its context.
 */
export const SDK_MODULE = String.raw`
export const definePlugin = (plugin) => plugin;
export const result = (text, extra = {}) => ({ text, isError: false, ...extra });
export const failure = (text, extra = {}) => ({ text, isError: true, ...extra });
export const isHostError = (error) => error instanceof Error && error.name === "HostError";
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
`;

/** The same where a package is tested: with `test`, and a door for the prelude that keeps what was declared. */
export const SDK_TEST_MODULE = `${SDK_MODULE}
let declare;
export const installTests = (given) => {
  declare ??= given;
};
export const test = (name, body) => declare(name, body);
`;
