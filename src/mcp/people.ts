import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import type { RuntimeSession } from "../runtime/index.js";
import type { Question, QuestionAnswer, SmithEvent } from "../schema/index.js";

/** Asks the client's person with one form. Declined where that fails: nobody was asked then. */
export type AskForm = (form: ElicitRequestFormParams, signal: AbortSignal) => Promise<ElicitResult>;

/** UTF-16 units of what a person is shown of a question. */
const MAX_SHOWN = 4_000;

/** A person may take their time; the client ends it, or the call that asks. */
const PATIENCE_MS = 24 * 60 * 60 * 1_000;

export const canAsk = (server: Server): boolean => server.getClientCapabilities()?.elicitation?.form !== undefined;

export const formAsker =
  (server: Server, onTrouble: (text: string) => void): AskForm =>
  async (form, signal) => {
    try {
      return await server.elicitInput(form, { signal, timeout: PATIENCE_MS });
    } catch (error) {
      if (!signal.aborted) onTrouble(`the client could not ask its person: ${error instanceof Error ? error.message : String(error)}`);
      return { action: "cancel" };
    }
  };

type Approval = Extract<SmithEvent, { readonly type: "approval" }>;

const VERDICTS = { once: "Allow this call", session: "Allow calls like it in this session", deny: "Deny" } as const;

/** Puts what a session asks of a person to that of the client, until the returned function is called. */
export function attend(session: RuntimeSession, ask: AskForm): () => void {
  const open = new Map<string, AbortController>();
  const begin = (id: string, work: (signal: AbortSignal) => Promise<void>): void => {
    const controller = new AbortController();
    open.set(id, controller);
    work(controller.signal).then(
      () => open.delete(id),
      () => open.delete(id),
    );
  };
  const unobserve = session.observe((event) => {
    if (event.type === "approval") {
      begin(event.id, async (signal) => {
        await approve(session, event, async (form) => await ask(form, signal));
      });
    }
    if (event.type === "question") {
      begin(event.id, async (signal) => {
        const answer = answerIn(event.question, await ask(questionForm(event.question, event.plugin), signal));
        session.answerQuestion(event.id, answer);
      });
    }
    if (event.type === "approval_settled" || event.type === "question_settled") open.get(event.id)?.abort();
  });
  return () => {
    unobserve();
    for (const controller of open.values()) controller.abort();
  };
}

async function approve(
  session: RuntimeSession,
  { id, name, argsSummary, why }: Approval,
  ask: (form: ElicitRequestFormParams) => Promise<ElicitResult>,
): Promise<void> {
  const message = clip([`smith wants to run ${name} ${argsSummary}`.trim(), ...(why === undefined ? [] : [why])].join("\n"));
  const verdict = {
    type: "string" as const,
    title: "May it?",
    oneOf: Object.entries(VERDICTS).map(([value, title]) => ({ const: value, title })),
  };
  const { action, content } = await ask({ message, requestedSchema: { type: "object", properties: { verdict }, required: ["verdict"] } });
  const given = action === "accept" ? content?.["verdict"] : undefined;
  session.answer(id, given === "once" || given === "session" ? given : "deny");
}

const clip = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

type Properties = ElicitRequestFormParams["requestedSchema"]["properties"];

/** One field, `answer`, of the kind the question is of. */
export function questionForm(question: Question, plugin: string): ElicitRequestFormParams {
  return {
    message: clip(`${question.text}\n(${plugin})`),
    requestedSchema: { type: "object", properties: { answer: fieldOf(question) }, required: ["answer"] },
  };
}

function fieldOf(question: Question): Properties[string] {
  switch (question.type) {
    case "ask":
      return { type: "string", title: "Answer", ...(question.initial === undefined ? {} : { default: question.initial }) };
    case "confirm":
      return { type: "boolean", title: `${question.yes ?? "Yes"}?` };
    case "choose": {
      const options = question.options.map(({ value, label }) => ({ const: value, title: label }));
      return question.many === true
        ? { type: "array", title: "Choice", items: { anyOf: options } }
        : { type: "string", title: "Choice", oneOf: options };
    }
  }
}

/** What of a form is no answer to the question is none. */
export function answerIn(question: Question, { action, content }: ElicitResult): QuestionAnswer {
  const value = action === "accept" ? content?.["answer"] : undefined;
  if (question.type === "ask" && typeof value === "string") return { type: "text", text: value };
  if (question.type === "confirm" && typeof value === "boolean") return { type: "confirmed", yes: value };
  if (question.type === "choose" && value !== undefined) {
    const known = new Set(question.options.map((option) => option.value));
    const values = (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string" && known.has(one));
    if (values.length > 0) return { type: "chosen", values };
  }
  return { type: "dismissed" };
}
