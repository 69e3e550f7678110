import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";

/** A code with who says that he issued it, where that is said (RFC 9207). */
export type Answer = { readonly code: string; readonly issuer?: string } | { readonly problem: string };

/** Where a browser comes back to. */
export interface Callback {
  readonly url: string;
  readonly answer: Promise<Answer>;
  close(): void;
}

const PATH = "/callback";
/** Whether it is good for a sign-in is known only after this page is shown. */
const ARRIVED = "The answer arrived. Go back to smith, which says whether you are signed in; you can close this page.";

/** Listens on this machine alone for the one answer that carries `state`; everything else is told that there is nothing. */
export async function listenForAnswer(port: number, state: string): Promise<Callback> {
  let settle: (answer: Answer) => void = () => undefined;
  const answer = new Promise<Answer>((resolve) => {
    settle = resolve;
  });
  const server = createServer((request, response) => {
    const found = answerIn(request.url ?? "/", state);
    if (found === undefined) return say(response, 404, "Not found.");
    say(response, 200, "problem" in found ? "The sign-in failed; see the terminal." : ARRIVED);
    settle(found);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}${PATH}`,
    answer,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(text);
}

/** Undefined: it is nobody's answer to this sign-in. */
function answerIn(target: string, state: string): Answer | undefined {
  if (!URL.canParse(target, "http://127.0.0.1")) return undefined;
  const { pathname, searchParams: query } = new URL(target, "http://127.0.0.1");
  if (pathname !== PATH || query.get("state") !== state) return undefined;
  const error = query.get("error");
  const description = query.get("error_description");
  if (error !== null)
    return { problem: `The server answered ${error.slice(0, 100)}${description === null ? "." : `: ${description.slice(0, 500)}`}` };
  const code = query.get("code");
  const issuer = query.get("iss");
  return code === null ? undefined : { code, ...(issuer === null ? {} : { issuer }) };
}
