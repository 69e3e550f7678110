export { LineTransport } from "./transport.js";
