import type { GrepMatch, Inspection } from "../../runtime/index.js";
import type { ExitStatus } from "../../schema/index.js";
import type { CommandContext } from "../context.js";
import type { GrepInvocation } from "../invocation.js";
import { clipColumns, jsonLine, visibleLine } from "../output/visible.js";

/** A line of a file a tool read may be of any length; people get its beginning, `--json` all of it. */
const SHOWN_COLUMNS = 400;

/** grep's statuses: 0 found, 1 none, 2 something could not be searched. */
export async function grepSessions(
  { out, errors, paint }: CommandContext,
  inspection: Pick<Inspection, "grep" | "resolve">,
  request: GrepInvocation,
): Promise<ExitStatus> {
  const session = request.session === undefined ? undefined : await inspection.resolve(request.session);
  if (session?.ok === false) {
    errors.diagnostic(session.error);
    return 2;
  }
  let found = 0;
  let damaged = 0;
  for await (const match of inspection.grep(request.pattern, session === undefined ? {} : { sessions: [session.value] })) {
    if (!match.ok) {
      damaged += 1;
      errors.diagnostic(match.error);
      continue;
    }
    found += 1;
    out.write(request.json ? jsonLine(match.value) : lineOf(match.value, paint));
    await out.ready();
    if (out.state() !== "open") return 0;
  }
  return damaged > 0 ? 2 : found > 0 ? 0 : 1;
}

function lineOf(match: GrepMatch, paint: CommandContext["paint"]): string {
  const place = `${match.session.slice(-8)}:${match.entry.slice(-8)}:${visibleLine(match.part)}:${String(match.line)}:`;
  return `${paint("cyan", place)} ${clipColumns(visibleLine(match.text), SHOWN_COLUMNS)}`.trimEnd() + "\n";
}
