import type { FrameHeader } from "./commits.mjs";

export const BLOCK: number;
export const BLOCK_HEADER: number;
export function blockOf(offset: number): number;
export function blockStart(index: number): number;
export function physicalOf(offset: number): number;
export function logicalStream(file: Uint8Array): Buffer;
export function readFrameHeader(stream: Uint8Array, seed: number, offset: number): FrameHeader | undefined;
