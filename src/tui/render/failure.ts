import { type SmithEvent, targetName } from "../../schema/index.js";
import { clockTime } from "./format.js";
import { ellipsize, sanitizeLine } from "../text/index.js";

type Retry = Extract<SmithEvent, { readonly type: "retry" }>;
type Failover = Extract<SmithEvent, { readonly type: "failover" }>;
type Failure = NonNullable<Retry["failure"]>;

/** A server's own words, where there are no shorter ones of ours. */
const MAX_REASON = 100;

const reasonOf = ({ reason }: Pick<Retry, "reason">): string => ellipsize(sanitizeLine(reason).trim(), MAX_REASON);

const RETRIED: { readonly [Class in Failure]?: string } = {
  "rate-limit": "rate limited",
  overloaded: "server overloaded",
  transport: "no answer from the server",
  auth: "key refused",
};

/** Why the same model is asked again, in a few words. */
export const retryWords = (event: Pick<Retry, "reason" | "failure">): string =>
  (event.failure === undefined ? undefined : RETRIED[event.failure]) ?? reasonOf(event);

/** Why another model answers, and which. Times are local. */
export function failoverWords(event: Pick<Failover, "from" | "to" | "reason" | "failure" | "until">, now: number): string {
  const [from, to] = [event.from, event.to].map((target) => sanitizeLine(targetName(target)));
  const until = event.until === undefined ? "" : ` until ${moment(event.until, now)}`;
  return `${left(event, from ?? "")}${until}, continuing on ${to ?? ""}`;
}

const LEFT: { readonly [Class in Failure]?: (name: string) => string } = {
  "rate-limit": (name) => `rate limited by ${name}`,
  quota: (name) => `${name} is out of quota`,
  overloaded: (name) => `${name} is overloaded`,
  "context-overflow": (name) => `the conversation is too long for ${name}`,
};

/** A time until which it is left alone is that of a rate limit. */
function left({ failure, until, reason }: Pick<Failover, "reason" | "failure" | "until">, name: string): string {
  const words = LEFT[failure ?? (until === undefined ? "protocol" : "rate-limit")];
  return words === undefined ? `${name} could not answer (${reasonOf({ reason })})` : words(name);
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** Sooner than this, seconds count. */
const SOON_MS = 120_000;

/** `10:42`, `10:42:09` where that is soon; of another day `Dec 2 10:42`. Local time. */
function moment(time: number, now: number): string {
  const [at, today] = [new Date(time), new Date(now)];
  if (Number.isNaN(at.getTime())) return "a later day";
  const clock = clockTime(time).slice(0, time - now < SOON_MS ? 8 : 5);
  return at.toDateString() === today.toDateString() ? clock : `${MONTHS[at.getMonth()] ?? ""} ${String(at.getDate())} ${clock}`;
}
