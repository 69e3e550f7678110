import { displayUrl } from "../../provider/index.js";
import { type Diagnostic, diagnostic } from "../../schema/index.js";

export const providerGone = (id: string): Diagnostic =>
  diagnostic({
    code: "provider.gone",
    what: `No plugin contributes the provider ${id}.`,
    why: "It was disabled or removed since the model was chosen.",
    next: "Enable its plugin, or choose another model with --model.",
    exit: 2,
  });

export const tokenServerSilent = (url: string, reason: string): Diagnostic =>
  diagnostic({
    code: "credential.no-answer",
    what: `The server that renews the login did not answer: ${reason}.`,
    why: `${displayUrl(url)} was asked; what is stored stays as it is.`,
    next: "Check the network and your proxy settings, then try again.",
    exit: 3,
  });
