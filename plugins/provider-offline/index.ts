import { definePlugin } from "smith-agent/plugin";
import { plan } from "./plan.js";

export default definePlugin({ providers: { offline: { plan } } });
