import type { Diagnostic } from "../../schema/index.js";
import { err, ok, type Result } from "../../base/index.js";
import { badBaseUrl, type UrlOrigin } from "./diagnostics.js";

export interface BaseUrl {
  /** Without trailing slash, query or fragment. */
  readonly baseUrl: string;
  readonly query?: string;
}

/** Checks a base URL that a variable or a connection gave and brings it into the form of an endpoint. The value is not blank. */
export function parseBaseUrl(value: string, from: UrlOrigin): Result<BaseUrl, Diagnostic> {
  const text = value.trim();
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    return err(badBaseUrl(from, withoutUser(text), "it has no scheme", `http://${withoutUser(text)}`));
  if (!URL.canParse(text)) return err(badBaseUrl(from, text, "it is not a URL"));
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return err(badBaseUrl(from, text, `its scheme is ${url.protocol.slice(0, -1)}, not http or https`));
  if (url.username !== "" || url.password !== "")
    return err(badBaseUrl(from, text, "it holds a user name or password, which would be stored with the session"));
  const query = url.search.replace(/^\?/, "");
  return ok({ baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, "")}`, ...(query === "" ? {} : { query }) });
}

/** Of a text that is no URL yet, what stands before its host may be a password. */
const withoutUser = (text: string): string => text.replace(/^[^/]*@/u, "");
