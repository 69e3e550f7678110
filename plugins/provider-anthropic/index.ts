import { definePlugin } from "smith-agent/plugin";
import { models, parseModels } from "./models.js";
import { plan } from "./request/plan.js";
import { close, events, open } from "./stream/decode.js";
import { fail } from "./stream/errors.js";

export default definePlugin({ providers: { anthropic: { plan, fail, open, events, close, models, parseModels } } });
