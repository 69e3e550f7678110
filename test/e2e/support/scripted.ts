import { isJsonObject, type JsonObject } from "../../../src/base/index.js";
import { type ModelServer, type ModelServerOptions, type RecordedRequest, startModelServer } from "../../support/model-server.js";
import { createPlace, type Place } from "./place.js";
import { textOf } from "./smith.js";

export interface Scripted extends Place {
  readonly server: ModelServer;
}

/** A place whose model is a scripted server that refuses what strict servers refuse. */
export async function createScripted(options: ModelServerOptions, variables: Readonly<Record<string, string>> = {}): Promise<Scripted> {
  const server = await startModelServer(options);
  const place = createPlace({ ...serverVariables(server.url), ...variables });
  place.config(SCRIPTED_FACTS);
  return {
    ...place,
    server,
    async close() {
      await place.close();
      await server.close();
    },
  };
}

/** What a person would say of a model of their own server; without it every run warns that nothing is known. */
const SCRIPTED_FACTS =
  'models {\n  model "openai-compatible/scripted" { context 200000; output 32000; images #true; tools #true; sampling #true }\n}\n';

/** The key must never be seen again outside of the request's own header. */
export const KEY = "sk-e2e-5f2b8c9d1e";

export const serverVariables = (url: string): Readonly<Record<string, string>> => ({
  OPENAI_BASE_URL: url,
  OPENAI_API_KEY: KEY,
  SMITH_MODEL: "scripted",
});

/** Messages of a chat request. */
export const messagesOf = ({ body }: Pick<RecordedRequest, "body">): readonly JsonObject[] => {
  const messages = body["messages"];
  return Array.isArray(messages) ? messages.filter(isJsonObject) : [];
};

/** Content of the last message of a role; empty when there is none. */
export const lastOf = (request: Pick<RecordedRequest, "body">, role: string): string =>
  textOf(messagesOf(request).findLast((message) => message["role"] === role)?.["content"]);
