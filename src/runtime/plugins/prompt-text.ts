import { err, type IdSource, type InvocationId, ok, type Result } from "../../base/index.js";
import { listCommands, type PluginHost } from "../../plugin/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";

export interface PromptPorts {
  readonly host: Pick<PluginHost, "generation" | "lease">;
  readonly ids: IdSource;
  readonly cwd: string;
}

/**
 * What a command that is made of a collected file would send the model, without a session: its function is run, and what it wants to
 * enqueue is the text. An effect it asks for is refused, as there is no session to record it in.
 */
export async function promptOf(
  { host, ids, cwd }: PromptPorts,
  asked: { readonly name: string; readonly args: string; readonly signal: AbortSignal },
): Promise<Result<string, Diagnostic>> {
  const lease = host.lease();
  try {
    const found = listCommands(lease.generation).find(({ name, resource }) => resource !== undefined && name === asked.name);
    if (found?.resource === undefined) return err(unknownPrompt(asked.name));
    const { command, resource } = found;
    const ran = await lease.command({
      ...{ command, resource, plugin: command.plugin, cwd, signal: asked.signal, args: asked.args.trim() },
      invocation: ids.next<InvocationId>(),
      record: async () => await Promise.resolve(),
    });
    if (!ran.ok) return ran;
    const texts = ran.value.flatMap((action) => (action.type === "enqueue" ? [action.text] : []));
    return texts.length === 0 ? err(emptyPrompt(asked.name, resource.path)) : ok(texts.join("\n\n"));
  } finally {
    lease.release();
  }
}

const unknownPrompt = (name: string): Diagnostic =>
  diagnostic({
    code: "prompt.unknown",
    what: `There is no prompt ${JSON.stringify(name)}.`,
    why: "Prompts are made of the templates and skills that plugins collect, and none of them has this name.",
    next: "List the prompts again: files may have come or gone.",
  });

const emptyPrompt = (name: string, path: string): Diagnostic =>
  diagnostic({
    code: "prompt.empty",
    what: `The prompt ${name} has no text to send.`,
    why: `What it is made of, ${path}, gives none with these arguments.`,
    next: "Write something into the file, or give it other arguments.",
  });
