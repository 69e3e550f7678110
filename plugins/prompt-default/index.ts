import { definePlugin } from "smith-agent/plugin";

// All of it is data in the manifest; there is no code to run.
export default definePlugin({});
