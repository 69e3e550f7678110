import { shortId } from "../base/index.js";
import type { RuntimeSession } from "../runtime/index.js";
import type { Diagnostic, ExitStatus, ThinkingLevel } from "../schema/index.js";
import type { ModelDesk, PluginDesk } from "./desk/index.js";
import type { Timers } from "./frame/index.js";
import type { Screen } from "./screen.js";
import type { Command, UiEvent } from "./store/index.js";
import type { Suspension } from "./suspension.js";
import { sanitizeLine } from "./text/index.js";
import type { TranscriptStore } from "./transcript/index.js";

/** What commands need that is not the session. */
export interface RunnerPorts {
  readonly session: () => RuntimeSession | undefined;
  readonly dispatch: (event: UiEvent) => void;
  readonly timers: Timers;
  readonly transcript: TranscriptStore;
  readonly desk: PluginDesk;
  readonly models: ModelDesk;
  readonly screen: Screen;
  readonly suspension: Suspension;
  readonly quit: (status: ExitStatus) => void;
  readonly fail: (error: unknown) => void;
}

const SESSION_COMMAND_TYPES = [
  "submit",
  "run-command",
  "abort",
  "recall",
  "answer",
  "answer-question",
  "set-mode",
  "set-model",
  "set-thinking",
  "rename",
  "resume-work",
  "reconcile",
] as const;

type SessionCommand = Extract<Command, { readonly type: (typeof SESSION_COMMAND_TYPES)[number] }>;

const SESSION_COMMANDS: ReadonlySet<Command["type"]> = new Set<Command["type"]>(SESSION_COMMAND_TYPES);

const isSessionCommand = (command: Command): command is SessionCommand => SESSION_COMMANDS.has(command.type);

/** Carries out one command; what comes of it returns as an event. Rejections of the session are bugs and go to `fail`. */
export function runCommand(command: Command, ports: RunnerPorts): void {
  if (isSessionCommand(command)) {
    const session = ports.session();
    if (session !== undefined) onSession(command, session, ports).catch(ports.fail);
    return;
  }
  onScreen(command, ports);
}

function onScreen(command: Exclude<Command, SessionCommand>, ports: RunnerPorts): void {
  switch (command.type) {
    case "scroll":
      ports.screen.view.scroll(command.rows);
      return;
    case "scroll-pages":
      ports.screen.view.scrollPages(command.pages);
      return;
    case "scroll-top":
      ports.screen.view.top();
      return;
    case "scroll-latest":
      ports.screen.view.latest();
      return;
    case "scroll-prompt":
      ports.screen.view.prompt(command.by);
      return;
    case "suspend":
      ports.suspension.begin();
      return;
    case "repaint":
      ports.screen.invalidate();
      return;
    case "background":
      ports.screen.background(command.luminance);
      return;
    case "theme":
      ports.screen.useTheme(command.theme);
      return;
    case "remark":
      ports.transcript.remark(command.text);
      ports.screen.request("change");
      return;
    case "admin":
      ports.desk.run(command.deed);
      return;
    case "models":
      ports.models.run(command.deed);
      return;
    case "expire-toast":
      ports.timers.after(command.ms, () => {
        ports.dispatch({ type: "toast-expired", id: command.id });
      });
      return;
    case "quit":
      ports.quit(command.status);
  }
}

async function onSession(command: SessionCommand, session: RuntimeSession, ports: RunnerPorts): Promise<void> {
  switch (command.type) {
    case "submit": {
      const result = await session.submit({
        text: command.text,
        ...(command.delivery === undefined ? {} : { delivery: command.delivery }),
      });
      ports.dispatch(result.ok ? { type: "admitted", id: command.id } : { type: "refused", id: command.id, diagnostic: result.error });
      return;
    }
    case "run-command":
      await runPluginCommand(command, session, ports);
      return;
    case "abort": {
      const returned = await session.abort();
      if (returned.ok) ports.dispatch({ type: "returned", texts: returned.value.map(({ text }) => text) });
      else ports.dispatch(refusal(returned.error));
      ports.dispatch({ type: "stopped" });
      return;
    }
    case "recall": {
      const texts: string[] = [];
      for (const item of session.status().queue) if (await session.withdraw(item.submission)) texts.push(item.text);
      ports.dispatch({ type: "returned", texts });
      return;
    }
    case "answer":
      session.answer(command.call, command.verdict, command.why);
      return;
    case "answer-question":
      if (!session.answerQuestion(command.question, command.answer))
        ports.dispatch({ type: "told", tone: "warning", text: "the question was not waiting for an answer any more" });
      return;
    case "set-mode":
      session.setMode(command.mode);
      // Neither this nor a new name is an event of the session.
      ports.dispatch({ type: "status", status: session.status() });
      ports.dispatch({ type: "told", tone: "info", text: `mode is ${command.mode} now` });
      return;
    case "set-model":
      await setModel(command.selection, session, ports);
      return;
    case "set-thinking":
      await setThinking(command.level, session, ports);
      return;
    case "resume-work": {
      const resumed = await session.resumeWork();
      if (!resumed.ok) ports.dispatch(refusal(resumed.error));
      return;
    }
    case "reconcile":
      await reconcile(command, session, ports);
      return;
    case "rename":
      await rename(command.name, session, ports);
  }
}

/** What was typed can be corrected. */
function giveBack(text: string, why: Diagnostic, { dispatch }: RunnerPorts): void {
  dispatch({ type: "returned", texts: [text] });
  dispatch(refusal(why));
}

async function rename(name: string, session: RuntimeSession, { dispatch }: RunnerPorts): Promise<void> {
  const result = await session.rename(name);
  dispatch({ type: "status", status: session.status() });
  dispatch(result.ok ? { type: "told", tone: "info", text: `this session is called ${name} now` } : refusal(result.error));
}

/** That it was taken is an event of the session. */
async function setModel(selection: string, session: RuntimeSession, ports: RunnerPorts): Promise<void> {
  const chosen = await session.setModel(selection);
  ports.dispatch({ type: "status", status: session.status() });
  if (!chosen.ok) giveBack(`/model ${selection}`, chosen.error, ports);
}

async function setThinking(level: ThinkingLevel | undefined, session: RuntimeSession, ports: RunnerPorts): Promise<void> {
  const asked = await session.setThinking(level);
  const status = session.status();
  ports.dispatch({ type: "status", status });
  if (asked.ok) ports.dispatch({ type: "told", tone: "info", text: thinkingText(level, asked.value, status.model.model), ms: 8000 });
  else giveBack(`/thinking ${level ?? "auto"}`, asked.error, ports);
}

/** What is asked in fact, where that is not what was wished. */
function thinkingText(wished: ThinkingLevel | undefined, asked: ThinkingLevel | undefined, model: string): string {
  const name = sanitizeLine(model);
  if (wished === undefined) return asked === undefined ? "thinking is as the model has it" : `thinking is ${asked} again, as selected`;
  if (asked === wished) return `thinking is ${asked} from the next request on`;
  if (asked !== undefined) return `${name} has no level ${wished}: ${asked} is asked for, from the next request on`;
  return wished === "off"
    ? "no thinking is asked for"
    : `${name} cannot be asked for a level, as far as is known: nothing is said about thinking`;
}

/** What it enqueued shows itself; one that wants nothing more says that it is done. */
async function runPluginCommand(
  command: Extract<SessionCommand, { readonly type: "run-command" }>,
  session: RuntimeSession,
  { dispatch }: RunnerPorts,
): Promise<void> {
  const { id, name, args } = command;
  const ran = await session.runCommand(name, args);
  dispatch(ran.ok ? { type: "admitted", id } : { type: "refused", id, diagnostic: ran.error });
  if (!ran.ok) return;
  // A name or a mode it set is no event of the session.
  dispatch({ type: "status", status: session.status() });
  if (ran.value.receipt === undefined && ran.value.carriedOut === 0) dispatch({ type: "told", tone: "info", text: `/${name} is done` });
}

async function reconcile(
  command: Extract<SessionCommand, { readonly type: "reconcile" }>,
  session: RuntimeSession,
  ports: RunnerPorts,
): Promise<void> {
  const { outcome, note } = command;
  const said = await session.reconcile(command.effect, { outcome, ...(note === "" ? {} : { note }) });
  if (!said.ok) {
    ports.dispatch({ type: "returned", texts: [`/reconcile ${command.effect} ${outcome} ${note}`.trim()] });
    ports.dispatch(refusal(said.error));
    return;
  }
  const word = outcome === "applied" ? "applied" : "not applied";
  ports.transcript.reconciled(said.value, word);
  ports.screen.request("change");
  ports.dispatch({ type: "told", tone: "info", text: `recorded: effect ${shortId(said.value)} was ${word}` });
}

const refusal = ({ what, next }: Diagnostic): UiEvent => ({ type: "told", tone: "error", text: `${what} ${next}`, ms: 10_000 });
