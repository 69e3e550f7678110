import { bareHost, type Clock, isJsonObject, parseJson } from "../../base/index.js";
import type { Endpoint } from "../../schema/index.js";
import type { HttpEngine } from "../http/types.js";
import type { ProviderOffer } from "../offer.js";
import type { ProviderAdapter } from "../types.js";
import { readBounded, writeWhole } from "./cache-file.js";
import { isTime } from "./reader.js";
import { probe, type ProbeTarget } from "./probe.js";
import { join } from "node:path";

/** How long it counts that a server answered, and that none did: one that was just started should be found soon. */
const ANSWERS_MS = 5 * 60 * 1000;
const SILENT_MS = 60 * 1000;
const MAX_BYTES = 64 * 1024;
const FORMAT = 1;
const NAME = "answering.json";

/** What was found of one connection, and when. */
interface Answered {
  readonly connection: string;
  readonly url: string;
  readonly answers: boolean;
  readonly at: number;
}

export interface AnsweringPorts {
  readonly engine: HttpEngine;
  readonly clock: Clock;
  /** Where what was found is kept between runs. */
  readonly dir: string;
}

export interface AnsweringInput {
  readonly offers: readonly Pick<ProviderOffer, "id" | "connections">[];
  readonly adapter: (provider: string) => ProviderAdapter | undefined;
  readonly signal: AbortSignal;
}

/**
 * Names of the connections whose server, one of this machine, answers at its default URL. What was found lately is not looked for
 * again. Never rejects; after an abort it is what was known.
 */
export async function findAnswering({ engine, clock, dir }: AnsweringPorts, input: AnsweringInput): Promise<ReadonlySet<string>> {
  const now = clock.now();
  const wanted = candidatesOf(input);
  const known = (await load(dir)).filter((each) => isFresh(each, now));
  const find = ({ connection, endpoint }: ProbeTarget): Answered | undefined =>
    known.find((each) => each.connection === connection && each.url === endpoint.baseUrl);
  const unknown = wanted.filter((target) => find(target) === undefined);
  const before = new Set(wanted.flatMap((target) => (find(target)?.answers === true ? [target.connection] : [])));
  if (unknown.length === 0) return before;
  const found = await probe({ engine, clock }, { targets: unknown, adapter: input.adapter, signal: input.signal });
  if (input.signal.aborted) return before;
  const looked = unknown.map(({ connection, endpoint }): Answered => ({
    connection,
    url: endpoint.baseUrl,
    answers: found.has(connection),
    at: clock.now(),
  }));
  await store(dir, [...known, ...looked]);
  return new Set([...before, ...found]);
}

/** Nothing but this machine is asked: a plugin does not send a request anywhere by being installed. */
const candidatesOf = ({ offers }: AnsweringInput): readonly ProbeTarget[] =>
  offers.flatMap(({ id, connections }) =>
    connections.flatMap(({ name, needs, defaultUrl, profile }) => {
      if (needs !== "answer" || defaultUrl === undefined || !isLocal(defaultUrl)) return [];
      const endpoint: Endpoint = { baseUrl: defaultUrl.replace(/\/+$/u, ""), ...(profile === undefined ? {} : { profile }) };
      return [{ provider: id, connection: name, endpoint }];
    }),
  );

function isLocal(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const host = bareHost(new URL(text));
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/u.test(host);
}

const isFresh = ({ answers, at }: Answered, now: number): boolean => at <= now && now - at < (answers ? ANSWERS_MS : SILENT_MS);

async function load(dir: string): Promise<readonly Answered[]> {
  const read = await readBounded(join(dir, NAME), MAX_BYTES);
  const value = "text" in read ? parseJson(read.text) : undefined;
  if (!isJsonObject(value) || value["format"] !== FORMAT || !Array.isArray(value["answers"])) return [];
  return (value["answers"] as readonly unknown[]).filter(isAnswered);
}

const isAnswered = (value: unknown): value is Answered =>
  isJsonObject(value) &&
  typeof value["connection"] === "string" &&
  typeof value["url"] === "string" &&
  typeof value["answers"] === "boolean" &&
  isTime(value["at"]);

async function store(dir: string, answers: readonly Answered[]): Promise<void> {
  try {
    await writeWhole(dir, NAME, JSON.stringify({ format: FORMAT, answers }));
  } catch {
    // It only spares the next run a look; who cannot keep it looks again.
  }
}
