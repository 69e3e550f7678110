/** A KDL value with its place; lines and columns count from 1. */
export interface KdlValue {
  readonly value: string | number | boolean | null;
  /** Present on properties, absent on arguments. */
  readonly name?: string;
  readonly line: number;
  readonly column: number;
}

/** A KDL node as plain JSON, so that a parsed file can be cached. Comments and slash-dashed parts are gone. */
export interface KdlNode {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly entries: readonly KdlValue[];
  readonly children: readonly KdlNode[];
}
