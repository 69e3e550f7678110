import { err, type JsonObject, ok, plural, type Result } from "../../base/index.js";
import { type Diagnostic, type Message, type ModelRef, type ProviderRequest, RESERVED_KEYS, type Sampling } from "../../schema/index.js";
import { extraKeyReserved, formatUnavailable, toolsUnavailable } from "./diagnostics.js";
import { answerClipped, imagesLeftOut, olderImagesLeftOut, samplingLeftOut } from "./notes.js";
import { effectiveThinking } from "./thinking.js";

export interface Fitted {
  readonly request: ProviderRequest;
  /** What was left out, and why. */
  readonly notes: readonly Diagnostic[];
}

/**
 * What the dispatched model takes of a request. What it can do without is left out with a note; what the request would be pointless
 * without fails before anything is sent. Nothing is copied where nothing changes. Specification, "Model capabilities".
 */
export function fitRequest(request: ProviderRequest): Result<Fitted, Diagnostic> {
  const impossible = impossibleIn(request);
  if (impossible !== undefined) return err(impossible);
  const notes: Diagnostic[] = [];
  return ok({ request: STEPS.reduce((fitted, step) => step(fitted, notes), request), notes });
}

const refOf = ({ provider, model }: ProviderRequest): ModelRef => ({ provider, model });

function impossibleIn(request: ProviderRequest): Diagnostic | undefined {
  const { facts, sampling, tools } = request;
  if (facts.tools === false && tools.length > 0) return toolsUnavailable(refOf(request));
  if (facts.structuredOutput === false && sampling?.responseFormat !== undefined) return formatUnavailable(refOf(request));
  return checkExtra(sampling?.extra);
}

/** Gives the request back as it came where it has nothing to leave out. */
type Step = (request: ProviderRequest, notes: Diagnostic[]) => ProviderRequest;

const fitImages: Step = (request, notes) => {
  const { facts, messages } = request;
  const count = facts.images === true ? 0 : imagesIn(messages);
  if (count === 0) return request;
  notes.push(imagesLeftOut(refOf(request), count, facts.images === false));
  return { ...request, messages: messages.map((message) => withoutImages(message, "this model does not take images")) };
};

/** Images of one request: from so many on some providers want them small, and no request may hold more than so many units of them. */
const MAX_IMAGES = 20;
const MAX_IMAGE_UNITS = 10 * 1024 * 1024;

/** The newest images are shown, as many as there is room for: one more picture must not make a conversation too large to go on. */
const fitRoom: Step = (request, notes) => {
  const { messages } = request;
  const first = firstShown(messages);
  if (first === 0) return request;
  const dropped = imagesIn(messages.slice(0, first));
  if (dropped === 0) return request;
  notes.push(olderImagesLeftOut(refOf(request)));
  return {
    ...request,
    messages: messages.map((message, index) => (index < first ? withoutImages(message, "only the newest are sent") : message)),
  };
};

/** Index of the first message whose images are shown, and those of all after it. */
function firstShown(messages: readonly Message[]): number {
  let [count, units] = [0, 0];
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    const images = message === undefined || message.role === "assistant" ? [] : (message.images ?? []);
    count += images.length;
    units += images.reduce((sum, { base64 }) => sum + base64.length, 0);
    if (count > MAX_IMAGES || units > MAX_IMAGE_UNITS) return index + 1;
  }
  return 0;
}

const fitDrawing: Step = (request, notes) => {
  const { sampling } = request;
  if (sampling === undefined) return request;
  const drawn = fitSampling(sampling, { ref: refOf(request), facts: request.facts, notes });
  return drawn === sampling ? request : { ...request, sampling: drawn };
};

const fitThinking: Step = (request, notes) => {
  const { thinking: wished, ...rest } = request;
  if (wished === undefined || request.facts.thinking?.includes(wished) === true) return request;
  const { level, note } = effectiveThinking(wished, request.facts, refOf(request));
  if (note !== undefined) notes.push(note);
  return { ...rest, ...(level === undefined ? {} : { thinking: level }) };
};

const STEPS: readonly Step[] = [fitImages, fitRoom, fitDrawing, fitThinking];

const imagesOf = (message: Message): number => (message.role === "assistant" ? 0 : (message.images?.length ?? 0));

function imagesIn(messages: readonly Message[]): number {
  let count = 0;
  for (const message of messages) count += imagesOf(message);
  return count;
}

/** The model is told that there was something: it would answer as if there was nothing to see. */
function withoutImages(message: Message, why: string): Message {
  const count = imagesOf(message);
  if (count === 0 || message.role === "assistant") return message;
  const { images: _, ...rest } = message;
  const words = `[${plural(count, "image")} left out: ${why}]`;
  return { ...rest, text: rest.text === "" ? words : `${rest.text}\n${words}` };
}

interface SamplingPlace {
  readonly ref: ModelRef;
  readonly facts: ProviderRequest["facts"];
  readonly notes: Diagnostic[];
}

function fitSampling(sampling: Sampling, { ref, facts, notes }: SamplingPlace): Sampling {
  let fitted = sampling;
  if (facts.sampling === false && (sampling.temperature !== undefined || sampling.topP !== undefined)) {
    const { temperature, topP, ...rest } = fitted;
    fitted = rest;
    notes.push(samplingLeftOut(ref, [...(temperature === undefined ? [] : ["temperature"]), ...(topP === undefined ? [] : ["top_p"])]));
  }
  const { outputTokens } = facts;
  if (outputTokens !== undefined && fitted.maxTokens !== undefined && fitted.maxTokens > outputTokens) {
    notes.push(answerClipped(ref, fitted.maxTokens, outputTokens));
    fitted = { ...fitted, maxTokens: outputTokens };
  }
  return fitted;
}

/** What is wrong with fields that are merged last into a request: those that are the host's may not be among them. */
export function checkExtra(extra: JsonObject | undefined): Diagnostic | undefined {
  const found = extra === undefined ? undefined : RESERVED_KEYS.find((key) => Object.hasOwn(extra, key));
  return found === undefined ? undefined : extraKeyReserved(found);
}
