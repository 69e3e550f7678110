import { type Diagnostic, diagnostic } from "../../../schema/index.js";
import { plainWords } from "../names.js";

export const untrustable = (root: string, reason: string): Diagnostic =>
  diagnostic({
    code: "plugin.untrustable-project",
    what: `The project ${plainWords(root, 400)} cannot be trusted.`,
    why: reason,
    next: "Replace links in .smith by what they lead to, take away what is no plain file, keep it below 2,000 files and 32 MiB. Then trust it.",
  });
