import type { IncomingMessage } from "node:http";
import { err, ok, type Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { Wire } from "./connect.js";
import { noAnswer, proxyFailed, unreachable } from "./failures.js";
import { PrivateAddressError } from "./lookup.js";

/** Why there is no head. */
export interface HopFailure {
  /** Whether any of the request may have reached the server. */
  readonly wasSent: boolean;
  readonly reason: Diagnostic | PrivateAddressError | "aborted";
}

export interface HopRequest {
  readonly method: string;
  /** Filled in: they hold secrets, and are in no message. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends one request and waits for the head of its answer. The signal ends it, and the answer too, at once. */
export function exchange(wire: Wire, request: HopRequest, signal: AbortSignal): Promise<Result<IncomingMessage, HopFailure>> {
  return new Promise((resolve) => {
    const req = wire.open({ method: request.method, headers: request.headers });
    let wasSent = false;
    const fail = (reason: HopFailure["reason"]): void => {
      resolve(err({ wasSent, reason }));
      req.destroy();
    };
    const onAbort = (): void => {
      fail("aborted");
    };
    signal.addEventListener("abort", onAbort, { once: true });
    req.once("close", () => {
      signal.removeEventListener("abort", onAbort);
    });
    req.once("socket", (socket) => {
      const onReady = (): void => {
        wasSent = true;
      };
      if (!wire.isTls && !socket.connecting) onReady();
      else socket.once(wire.isTls ? "secureConnect" : "connect", onReady);
    });
    req.once("proxyConnect", (answer: { readonly statusCode: number }) => {
      if (answer.statusCode !== 200) fail(proxyFailed(`it refused to connect to ${wire.target} (${answer.statusCode})`));
    });
    req.once("response", (res: IncomingMessage) => {
      if (!wire.isForwarded || res.statusCode !== 407) {
        resolve(ok(res));
        return;
      }
      wasSent = false;
      fail(proxyFailed("it wants a user name and a password (407)"));
    });
    // After the head an error is the body's, and told there.
    req.on("error", (error: NodeJS.ErrnoException) => {
      fail(error instanceof PrivateAddressError ? error : failureOf(error, wire.target, wasSent));
    });
    if (signal.aborted) onAbort();
    else req.end(request.body);
  });
}

function failureOf(error: NodeJS.ErrnoException, target: string, wasSent: boolean): Diagnostic {
  const code = error.code ?? "";
  const words = WORDS[code] ?? (code === "" ? error.message : `${error.message} (${code})`);
  return wasSent ? noAnswer(target, words) : unreachable(target, words);
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused (ECONNREFUSED)",
  ENOTFOUND: "the host name is not known (ENOTFOUND)",
  EAI_AGAIN: "the host name could not be looked up (EAI_AGAIN)",
  ETIMEDOUT: "the connection timed out (ETIMEDOUT)",
  EHOSTUNREACH: "no route to the host (EHOSTUNREACH)",
  ENETUNREACH: "the network is not reachable (ENETUNREACH)",
  ECONNRESET: "the connection was closed (ECONNRESET)",
  EPROTO: "does the server speak https? (EPROTO)",
  HPE_HEADER_OVERFLOW: "it sent more headers than are read (HPE_HEADER_OVERFLOW)",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself (DEPTH_ZERO_SELF_SIGNED_CERT)",
};
