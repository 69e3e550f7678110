import type { ImageRef } from "../tool.js";

/** Which lines of which file. */
export interface FsReadInput {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  /** Characters after which a line is cut; 2,000 when left out, for eyes. At most 2 Mi, for code. */
  readonly lineCharacters?: number;
}

/** Lines of a text, an image, or that it is neither. */
export type FsReadOutput =
  | {
      readonly type: "text";
      readonly path: string;
      /** The lines shown, without terminators. A line over the line bound is cut and told in `cutLines`. */
      readonly lines: readonly string[];
      readonly firstLine: number;
      readonly totalLines: number;
      readonly totalBytes: number;
      /** 1-based line numbers that are shown cut, with their whole length in characters. */
      readonly cutLines: readonly { readonly line: number; readonly length: number }[];
      /** Lines after the last one shown that were left out for the byte bound or the limit. */
      readonly truncated: boolean;
      /** `pdf`: the text layer of a PDF, page by page. */
      readonly encoding: "utf-8" | "utf-16le" | "utf-16be" | "pdf";
      /** Bytes that are no characters of the encoding, each run of them shown as U+FFFD. */
      readonly invalid?: { readonly count: number; readonly firstLine: number };
      /** NUL characters, shown as U+2400. */
      readonly nul?: { readonly count: number; readonly firstLine: number };
    }
  | {
      readonly type: "image";
      readonly path: string;
      readonly image: ImageRef;
      readonly totalBytes: number;
    }
  /** `what`: what its bytes look like (`zip archive`), where that is known. */
  | { readonly type: "binary"; readonly path: string; readonly totalBytes: number; readonly what?: string }
  /** `names`: the first of them in order, folders with a slash behind. `isCounted` is false where there are more than `entries`. */
  | {
      readonly type: "directory";
      readonly path: string;
      readonly entries: number;
      readonly names?: readonly string[];
      readonly isCounted?: false;
    };

/** A file and all of its new content. */
export interface FsWriteInput {
  readonly path: string;
  readonly content: string;
}

/** Replacements in one file. */
export interface FsEditInput {
  readonly path: string;
  readonly edits: readonly { readonly old: string; readonly new: string; readonly all?: boolean }[];
}

/** A patch as text. `auto`: told by how it begins. */
export interface FsPatchInput {
  readonly patch: string;
  /** `unified`: as `diff -u` and git write it. `begin-patch`: the envelope of `*** Begin Patch`. Default `auto`. */
  readonly form?: "auto" | "unified" | "begin-patch";
  /** Filled in by the host, for its record: which real file each name in the patch was found to be. Nothing a plugin gives here is kept. */
  readonly files?: readonly { readonly named: string; readonly path: string }[];
}

/** What a patch did, file by file. */
export interface FsPatchOutput {
  readonly files: readonly (FsChangeOutput & {
    readonly action: "created" | "changed" | "deleted" | "moved";
    /** Where it was before it was moved. */
    readonly from?: string;
  })[];
}

/** What a change did to a file. */
export interface FsChangeOutput {
  readonly path: string;
  readonly created: boolean;
  /** Unified diff of the bytes really changed, decoded as text, bounded. */
  readonly diff: string;
  readonly addedLines: number;
  readonly removedLines: number;
  readonly replacements: number;
  /** It replaced content that this session had neither read nor written before. */
  readonly replacedUnseen?: boolean;
}

/** Which folder, and how deep. */
export interface FsListInput {
  readonly path?: string;
  readonly depth?: number;
  readonly limit?: number;
  readonly includeIgnored?: boolean;
}

/** What is in it, by name. */
export interface FsListOutput {
  readonly path: string;
  readonly items: readonly {
    readonly name: string;
    readonly kind: "file" | "directory" | "link" | "other";
    /** Of a file. */
    readonly bytes?: number;
    /** Names in a folder that is listed and not entered. */
    readonly entries?: number;
  }[];
  readonly truncated: boolean;
  readonly ignoredCount: number;
  /** Shown or not; at least so many where it is not exact. */
  readonly total?: { readonly items: number; readonly isExact: boolean };
}

/** What a path is. */
export interface FsStatOutput {
  readonly path: string;
  readonly kind: "file" | "directory" | "other" | "missing";
  readonly bytes?: number;
  /** ms since the epoch. */
  readonly modified?: number;
}
