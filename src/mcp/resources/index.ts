export { completeSession, isOfFolder, isSessionTemplate, listSessions, readSession, type ResourcePorts, TEMPLATES } from "./resources.js";
export { Subscriptions } from "./subscriptions.js";
