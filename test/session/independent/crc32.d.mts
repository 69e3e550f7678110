export function crc32(bytes: Uint8Array, init?: number): number;
