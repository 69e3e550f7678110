export function readCbor(bytes: Uint8Array): unknown;
