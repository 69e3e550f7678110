/** Which paths. */
export interface FindInput {
  /** Glob, matched against workspace-relative paths; a bare name matches at any depth. */
  readonly pattern: string;
  readonly path?: string;
  readonly limit?: number;
  readonly includeIgnored?: boolean;
  /** Names that begin with a dot, too. Default true. */
  readonly includeHidden?: boolean;
  /** Only these; default files. */
  readonly kind?: "file" | "directory" | "any";
}

/** The paths found; `notes` say what was not looked at. */
export interface FindOutput {
  readonly paths: readonly string[];
  readonly truncated: boolean;
  /** Shown or not; at least so many where it is not exact. */
  readonly total?: { readonly paths: number; readonly isExact: boolean };
  readonly notes: readonly string[];
}

/** Which lines of which files. */
export interface GrepInput {
  readonly pattern: string;
  /** Plain text instead of a regular expression. */
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
  readonly path?: string;
  readonly glob?: string;
  readonly context?: number;
  readonly limit?: number;
  readonly includeIgnored?: boolean;
  /** Names that begin with a dot, too. Default true. */
  readonly includeHidden?: boolean;
  /** Kinds of files by name: `ts`, `py`, `md` … */
  readonly fileType?: string;
  /** The pattern may match across lines; `.` matches line ends too. */
  readonly multiline?: boolean;
  /** Whole words only. */
  readonly word?: boolean;
  /** What is wanted of each file: the lines, its name alone, or how many lines match. Default lines. */
  readonly mode?: "lines" | "files" | "count";
}

/** The lines found, by file; `notes` say what was not looked at. */
export interface GrepOutput {
  readonly files: readonly {
    readonly path: string;
    readonly lines: readonly {
      readonly line: number;
      readonly text: string;
      readonly match: boolean;
      /** `text` is a window into a longer line: the line's whole length and where the window starts, in UTF-16 units. */
      readonly cut?: { readonly length: number; readonly from: number };
    }[];
    /** Lines of it that match, where they are counted. */
    readonly count?: number;
  }[];
  /** Of what is shown: matching lines, or files where only names are asked for. */
  readonly matchCount: number;
  readonly truncated: boolean;
  /** Shown or not; at least so many where it is not exact. */
  readonly total?: { readonly matches: number; readonly files: number; readonly isExact: boolean };
  readonly notes: readonly string[];
}
