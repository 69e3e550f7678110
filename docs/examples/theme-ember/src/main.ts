import { definePlugin } from "smith-agent/plugin";

// Colours and keys are data of the manifest; there is nothing to run.
export default definePlugin({});
