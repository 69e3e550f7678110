import { definePlugin } from "smith-agent/plugin";
import { close, events, open } from "./answer/decode.js";
import { fail } from "./errors.js";
import { models, parseModels } from "./models.js";
import { plan } from "./request/plan.js";

export default definePlugin({ providers: { google: { plan, fail, open, events, close, models, parseModels } } });
