/**
 * vendors: one scripted model that speaks all four APIs, and what each of their vendors refuses.
 * Promises: answers as the vendors give them, thinking signed so that an altered block is found. Read first: turn.ts.
 */
import type { Reply } from "../model-server.js";
import { anthropic } from "./anthropic.js";
import { type Api, apiOf, type Asked, modelOf, wantsStream } from "./api.js";
import { chat } from "./chat.js";
import { google } from "./google.js";
import { responses } from "./responses.js";
import { json, type Turn, type Voice } from "./turn.js";

export { type Api, APIS, apiOf } from "./api.js";
export { type Item, itemsOf, systemOf } from "./reading.js";
export type { Turn } from "./turn.js";

const VOICES: { readonly [A in Api]: Voice } = { chat, anthropic, responses, google };

const voiceOf = ({ path }: Pick<Asked, "path">): Voice => VOICES[apiOf(path) ?? "chat"];

/** The answer to a request in the words of the API it came by. */
export const answerTo = (asked: Asked, turn: Turn, n: number): Reply =>
  voiceOf(asked).answer(turn, { model: modelOf(asked), stream: wantsStream(asked), n });

/** A refusal in the words of the API the request came by. */
export const refusalTo = (asked: Asked, status: number, message: string, headers: { readonly [name: string]: string } = {}): Reply => {
  const reply = json(voiceOf(asked).refusal(status, message), status);
  return { ...reply, headers: { ...reply.headers, ...headers } };
};
