export interface FrameHeader {
  readonly offset: number;
  readonly end: number;
  readonly type: number;
  readonly seq: number;
}

export interface Table {
  readonly offset: number;
  readonly records: readonly {
    readonly kind: number;
    readonly descriptors: readonly {
      readonly encoding: number;
      readonly codec: number;
      readonly stored: number;
      readonly isChunked: boolean;
    }[];
  }[];
}

export function readTable(stream: Uint8Array, frame: FrameHeader): Table;
