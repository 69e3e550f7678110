/**
 * The package is CommonJS, whose names a bundle keeps only where it is imported statically: to be loaded late, this file is.
 */
export { HttpsProxyAgent } from "https-proxy-agent";
