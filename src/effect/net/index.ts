/**
 * effect/net: one HTTP exchange for a plugin, redirects followed, every hop checked.
 * Promises: no address is connected that the grant does not reach, whatever a name resolves to; secrets go to one origin and come
 * back to nobody; bounded in time and bytes. Must never know: any service. Read first: policy.ts, fetch.ts, connect.ts.
 */
export { isPrivateAddress } from "./address.js";
export { createNetFacility } from "./facility.js";
export { type LookupPort, PrivateAddressError, publicAddresses, systemLookup } from "./lookup.js";
