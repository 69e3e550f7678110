/**
 * credential: keys by name, from variables, the auth file, commands and logins; storing, renewing and forgetting them.
 * Promises: no value is in a diagnostic; the auth file is whole, its owner's alone, and loses nothing to another process; a login is
 * renewed once and stored before it is used. Must never know: providers, requests, terminals. Read first: credentials.ts, file/auth-store.ts.
 */
export { createCredentials, type Credentials, type CredentialsDeps } from "./credentials.js";
export { badAuthName, credentialMissing, credentialRefused, type LookedAt } from "./diagnostics.js";
export { type AuthChange, type AuthStore, type AuthStoreDeps, createAuthStore } from "./file/auth-store.js";
export { isAuthName } from "./file/auth-text.js";
export { type DeviceLogin, type DevicePorts, pollDeviceLogin, startDeviceLogin } from "./oauth/device-login.js";
export type { CredentialState } from "./source/source.js";
export {
  type AuthEntries,
  type AuthEntry,
  type AuthSnapshot,
  type CommandEnd,
  type CommandRun,
  NO_AUTH,
  type KeyEntry,
  type OauthData,
  type OauthEntry,
  type PostForm,
  type RunCommand,
  type TokenAnswer,
} from "./types.js";
export { faultOf, trimmed } from "./value.js";
