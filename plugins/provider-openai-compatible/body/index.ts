/**
 * body: what is sent to a model.
 * Promises: pure; a conversation no strict server refuses, whatever was stored, and nothing that is not advertised of the model.
 * Must never know: names of servers, only their profile. Read first: body.ts, then messages.ts and history.ts.
 */
export { requestBody } from "./body.js";
