import { RESERVED_KEYS } from "../schema/index.js";
import { boolean, duration, integer, jsonObject, number, texts } from "./kinds.js";
import type { Option } from "./option.js";
import type { Settings } from "./types.js";

type RequestSettings = Pick<
  Settings,
  "temperature" | "topP" | "maxOutput" | "stop" | "responseFormat" | "extra" | "stream" | "retryAttempts" | "retryMaxWaitMs"
>;

const USUAL = "the server's own";

/** Settings of the requests that models get. Seed of the framework, sections 6.3 and 8. */
export const REQUEST_OPTIONS: { readonly [Name in keyof RequestSettings]: Option<RequestSettings[Name]> } = {
  temperature: {
    key: "request.temperature",
    env: "SMITH_TEMPERATURE",
    flags: [],
    kind: number({ min: 0, max: 2, example: 0.2 }),
    default: undefined,
    defaultMeans: USUAL,
    description: "Temperature of the answers, for models that take one.",
    secret: false,
  },
  topP: {
    key: "request.top-p",
    env: "SMITH_TOP_P",
    flags: [],
    kind: number({ min: 0, max: 1, example: 0.95 }),
    default: undefined,
    defaultMeans: USUAL,
    description: "Share of likely tokens that answers are drawn from, for models that take one.",
    secret: false,
  },
  maxOutput: {
    key: "request.max-tokens",
    env: "SMITH_MAX_OUTPUT",
    flags: [],
    kind: integer({ min: 1, example: 8192 }),
    default: undefined,
    defaultMeans: USUAL,
    description: "Most tokens of one answer. More than the model can give becomes what it can.",
    secret: false,
  },
  stop: {
    key: "request.stop",
    env: "SMITH_STOP",
    flags: [],
    kind: texts({ max: 16 }),
    default: undefined,
    defaultMeans: "none",
    description: "Texts that end an answer.",
    secret: false,
  },
  responseFormat: {
    key: "request.response-format",
    env: "SMITH_RESPONSE_FORMAT",
    flags: [],
    kind: jsonObject({ example: '{"type":"json_object"}' }),
    default: undefined,
    defaultMeans: "free text",
    description: "Form of the answers, as the field `response_format` of Chat Completions has it; other vendors get it in their words.",
    secret: false,
  },
  extra: {
    key: "request.extra",
    env: "SMITH_REQUEST_EXTRA",
    flags: [],
    kind: jsonObject({
      example: '{"top_k":40}',
      constraint: `a JSON object without ${RESERVED_KEYS.join(", ")}, which are smith's`,
      accepts: (value) => RESERVED_KEYS.every((key) => !Object.hasOwn(value, key)),
    }),
    default: undefined,
    defaultMeans: "nothing is added",
    description: "Further fields of every request, in the words of the server; they win over what smith makes.",
    secret: false,
  },
  stream: {
    key: "request.stream",
    env: "SMITH_STREAM",
    flags: [],
    kind: boolean(),
    default: true,
    description: "Whether answers come as they are made. Off: each comes whole, for servers that cannot stream.",
    secret: false,
  },
  retryAttempts: {
    key: "retry.attempts",
    env: "SMITH_RETRY_ATTEMPTS",
    flags: [],
    kind: integer({ min: 1, max: 10, example: 3 }),
    default: 3,
    description: "How often one model is asked in all when its server cannot be reached or is overloaded.",
    secret: false,
  },
  retryMaxWaitMs: {
    key: "retry.max-wait",
    env: "SMITH_RETRY_MAX_WAIT",
    flags: [],
    kind: duration(),
    default: 60_000,
    description:
      "A server that asks to be left alone for longer is given up for this request: another model of the group answers, or the run ends and says until when.",
    secret: false,
  },
};
