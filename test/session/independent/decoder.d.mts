/** What decoder.mjs gives; it is plain JavaScript, so that it stays a program a stranger could have written. */
export interface DecodedRecord {
  readonly id: string;
  readonly kind: number;
  readonly flags: number;
  readonly entry: unknown;
}

export interface DecodedCommit {
  readonly seq: number;
  readonly offset: number;
  readonly end: number;
  readonly time: number;
  readonly durable: number;
  /** Distance back to the newest CHECKPOINT. */
  readonly checkpoint: number;
  readonly leaf: string | undefined;
  readonly records: readonly DecodedRecord[];
}

export interface DecodedSession {
  readonly header: {
    readonly session: string;
    readonly created: number;
    readonly generation: string;
    readonly seed: number;
    readonly epoch: number;
    readonly source: string | undefined;
    readonly forkPoint: number;
  };
  readonly commits: readonly DecodedCommit[];
  readonly checkpoints: readonly {
    readonly seq: number;
    readonly offset: number;
    readonly end: number;
    readonly invalid?: string;
    readonly previous?: number;
    readonly rest?: number;
    readonly ids?: readonly { readonly id: string; readonly commit: number }[];
    readonly keys?: readonly { readonly hash: string; readonly commit: number }[];
    readonly live?: { readonly [field: string]: unknown };
  }[];
  readonly summaries: readonly { readonly seq: number; readonly offset: number; readonly value: unknown }[];
  readonly gaps: readonly { readonly offset: number; readonly first: number; readonly last: number }[];
  readonly unknown: readonly {
    readonly type: number;
    readonly seq: number;
    readonly offset: number;
    readonly isCritical: boolean;
    readonly frame: Uint8Array;
  }[];
  readonly damage: readonly { readonly offset: number; readonly end: number; readonly seq?: number; readonly what: string }[];
  readonly acked: number;
  readonly boundary: number;
  readonly newest: { readonly seq: number; readonly leaf: string | undefined };
  readonly boundaryInFile: number;
  readonly tail: { readonly state: "whole" | "torn"; readonly offset?: number; readonly reason?: string };
  readonly isTailLost: boolean;
}

export function decode(file: Uint8Array): DecodedSession | { readonly refused: string };
export function toJson(session: DecodedSession | { readonly refused: string }): string;
