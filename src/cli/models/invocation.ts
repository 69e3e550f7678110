import type { CommonFlags } from "../given-flags.js";

interface Common {
  readonly common: CommonFlags;
}

export interface ListModelsInvocation extends Common {
  readonly type: "models list";
  /** Words that have to be in a name, joined by blanks; empty: all. */
  readonly words: string;
  /** Also what cannot be asked now. */
  readonly all: boolean;
  readonly json: boolean;
}

export interface ShowModelInvocation extends Common {
  readonly type: "models show";
  /** Absent: what is used when nothing is chosen. */
  readonly selection: string | undefined;
  readonly json: boolean;
}

export interface UseModelInvocation extends Common {
  readonly type: "models use";
  readonly selection: string;
}

export interface RefreshModelsInvocation extends Common {
  readonly type: "models refresh";
  /** Providers and connections; none: all that are set up. */
  readonly names: readonly string[];
  readonly json: boolean;
}

export type ModelsInvocation = ListModelsInvocation | ShowModelInvocation | UseModelInvocation | RefreshModelsInvocation;
