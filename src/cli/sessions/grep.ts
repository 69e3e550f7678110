import { type SessionId, shortId } from "../../base/index.js";
import type { GrepMatch, GrepOptions, Inspection } from "../../runtime/index.js";
import type { ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import { jsonLine } from "../output/visible.js";
import { put, refuse } from "../output/answers.js";
import type { GrepInvocation, KindFilter } from "./invocation.js";
import { contextMatches, plainMatches } from "./match-text.js";
import { resolveAll } from "./places.js";

/** grep's statuses: 0 found, 1 none, 2 something could not be searched. A reader who goes away ends it with the status so far. */
export async function grepSessions(
  context: CommandContext,
  inspection: Pick<Inspection, "grep" | "resolve">,
  request: GrepInvocation,
): Promise<ExitStatus> {
  const sessions = await resolveAll(inspection, request.sessions);
  if (!sessions.ok) {
    refuse(context, sessions.error);
    return 2;
  }
  const report = createReport(context, request);
  const isWanted = answersFilter(request.kinds);
  const tally = new Tally(request.maxCount);
  let damaged = 0;
  for await (const found of inspection.grep(request.pattern, optionsOf(request, sessions.value))) {
    if (!found.ok) {
      damaged += 1;
      // In the order of what is found, when both streams lead to one terminal.
      context.out.push();
      context.errors.diagnostic(found.error);
      continue;
    }
    if (!isWanted(found.value) || !tally.takes(found.value.session)) continue;
    if (!(await put(context, report.match(found.value)))) return brokenStatus(context, 0);
  }
  if (!(await put(context, report.end()))) return brokenStatus(context, tally.total > 0 ? 0 : 1);
  // A failure of the output shows when it is written, which waits for its turn.
  await context.out.flush();
  if (context.out.state() === "failed") return 2;
  return damaged > 0 ? 2 : tally.total > 0 ? 0 : 1;
}

/** A reader who went away has seen enough; output that cannot be written is trouble. */
const brokenStatus = ({ out }: CommandContext, sofar: ExitStatus): ExitStatus => (out.state() === "failed" ? 2 : sofar);

/** What the search itself can do. Parts of answers are told apart here, so that their matches are counted here too. */
function optionsOf(request: GrepInvocation, sessions: readonly SessionId[]): GrepOptions {
  const isExact = request.kinds === undefined || request.kinds.answers === "both" || !request.kinds.types.has("assistant");
  const most = request.show === "sessions" ? 1 : request.maxCount;
  return {
    ...(sessions.length === 0 ? {} : { sessions }),
    ...(request.kinds === undefined ? {} : { types: request.kinds.types }),
    ...(request.selectedBranch ? { branch: "selected" } : {}),
    ...(request.before > 0 ? { before: request.before } : {}),
    ...(request.after > 0 ? { after: request.after } : {}),
    ...(request.oldestFirst ? { oldestFirst: true } : {}),
    ...(most === undefined || !isExact ? {} : { maxPerSession: most }),
  };
}

function answersFilter(kinds: KindFilter | undefined): (match: GrepMatch) => boolean {
  const answers = kinds?.answers ?? "both";
  if (answers === "both") return () => true;
  return ({ type, part }) => type !== "assistant" || (part === "thinking") === (answers === "thinking");
}

/** Counts what is taken, session by session: they come one after the other. */
class Tally {
  readonly #most: number;
  #session: SessionId | undefined;
  #inSession = 0;
  total = 0;

  constructor(most: number | undefined) {
    this.#most = most ?? Infinity;
  }

  takes(session: SessionId): boolean {
    if (session !== this.#session) this.#inSession = 0;
    this.#session = session;
    if (this.#inSession >= this.#most) return false;
    this.#inSession += 1;
    this.total += 1;
    return true;
  }
}

/** What is written when a match is taken, and at the end. */
interface Report {
  match(match: GrepMatch): string;
  end(): string;
}

function createReport({ paint }: CommandContext, request: GrepInvocation): Report {
  if (request.show !== "matches") return sessionReport(request);
  if (request.json) return { match: (match) => jsonLine(match), end: () => "" };
  const text = request.before > 0 || request.after > 0 ? contextMatches(paint) : plainMatches(paint);
  return { match: (match) => text.add(match), end: () => text.end() };
}

/** One line a session: at its first match, or with the number of them once the next session begins. */
function sessionReport({ show, json }: GrepInvocation): Report {
  let current: SessionId | undefined;
  let name = "";
  let count = 0;
  const counted = (): string => {
    if (current === undefined) return "";
    return json ? jsonLine({ session: current, count }) : `${name}:${String(count)}\n`;
  };
  return {
    match({ session, short = shortId(session) }) {
      if (session === current) {
        count += 1;
        return "";
      }
      const before = show === "counts" ? counted() : json ? jsonLine({ session }) : `${short}\n`;
      current = session;
      name = short;
      count = 1;
      return before;
    },
    end: () => (show === "counts" ? counted() : ""),
  };
}
