import type { CommonFlags } from "../given-flags.js";

interface Common {
  readonly common: CommonFlags;
}

export interface LoginInvocation extends Common {
  readonly type: "auth login";
  readonly name: string;
  readonly keyStdin: boolean;
}

export interface LogoutInvocation extends Common {
  readonly type: "auth logout";
  readonly name: string;
}

export interface StatusInvocation extends Common {
  readonly type: "auth status";
  readonly json: boolean;
}

export interface CheckAuthInvocation extends Common {
  readonly type: "auth check";
  readonly json: boolean;
  /** Absent: all that have a key. */
  readonly name: string | undefined;
}

export type AuthInvocation = LoginInvocation | LogoutInvocation | StatusInvocation | CheckAuthInvocation;
