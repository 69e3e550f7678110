import { err, ok, utf8Length } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";
import type { Facility } from "../types.js";
import { fromText, showName } from "../paths/index.js";
import { createMarkdownFacility, type MarkdownDeps } from "./markdown/facility.js";
import { unifiedDiff } from "./unified-diff.js";

/** UTF-8 bytes of both texts together. */
export const DIFF_BYTES = 4 * 1024 * 1024;

export interface TextFacilities {
  readonly "text.diff": Facility<"text.diff">;
  readonly "text.markdown": Facility<"text.markdown">;
}

/** Pure work at the speed of the host: it reaches nothing, so it needs no grant. */
export function createTextFacilities(deps: MarkdownDeps): TextFacilities {
  return {
    "text.markdown": createMarkdownFacility(deps),
    "text.diff": {
      authorize: async (input) => {
        const bytes = utf8Length(input.before) + utf8Length(input.after);
        return bytes > DIFF_BYTES ? err(textTooLarge(bytes)) : ok(input);
      },
      run: async ({ before, after, path }) => {
        const report = unifiedDiff({ path: showName(fromText(path ?? "text")), before, after });
        return { outcome: "not-applied", result: ok(report) };
      },
    },
  };
}

const textTooLarge = (bytes: number): Diagnostic =>
  diagnostic({
    code: "text.too-large",
    what: `The texts to compare have ${bytes} bytes together.`,
    why: `At most ${DIFF_BYTES} bytes are compared, so that one comparison cannot hold up everything else.`,
    next: "Compare them in parts.",
  });
