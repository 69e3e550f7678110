import { definePlugin } from "smith-agent/plugin";

// The host collects the files and joins them to the prompt as the manifest says; there is no code to run.
export default definePlugin({});
