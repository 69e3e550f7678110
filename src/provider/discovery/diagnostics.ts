import { type Diagnostic, diagnostic } from "../../schema/index.js";
import { displayUrl } from "../http/secrets.js";

export const noModels = (provider: string, url: string, why: string): Diagnostic =>
  diagnostic({
    code: "provider.no-models",
    what: `No model is chosen, and ${displayUrl(url)} does not tell one.`,
    why,
    next: `Name it: --model ${provider}/MODEL.`,
    source: { type: "provider", id: provider, url: displayUrl(url) },
    exit: 2,
  });
