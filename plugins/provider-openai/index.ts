import { definePlugin } from "smith-agent/plugin";
import { close, events, open } from "./decode.js";
import { fail } from "./errors.js";
import { models, parseModels } from "./models.js";
import { plan } from "./request.js";

export default definePlugin({ providers: { openai: { plan, fail, open, events, close, models, parseModels } } });
