import { definePlugin } from "smith-agent/plugin";
import { events, open } from "./decode.js";
import { fail } from "./errors.js";
import { models, parseModels } from "./models.js";
import { plan } from "./request.js";

// All of it pure: a request becomes the plan of one exchange, its lines become deltas. The host does what is between them.
export default definePlugin({ providers: { ollama: { plan, fail, open, events, models, parseModels } } });
