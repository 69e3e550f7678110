/**
 * The runtime's second door, for the one thing that must come before the rest of it is even loaded: a one-shot run waits
 * longest for the provider's thread, so that thread is started first. Its own chunk in the build.
 */
import type { Result } from "../base/index.js";
import { pluginFiles, type StartedPlugins, startPlugins } from "../plugin/index.js";
import type { Diagnostic } from "../schema/index.js";

/** Starts what a first answer waits for longest, before settings are read. Give it to `createRuntime`. */
export const beginPlugins = async (installDir: URL): Promise<Result<StartedPlugins, Diagnostic>> =>
  await startPlugins(pluginFiles(installDir));
