import type { SessionId } from "../base/index.js";

/** What listing shows: header, newest summary and file facts. Fields the cheap path could not know are absent. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly path: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly bytes: number;
  readonly state: "sound" | "damaged" | "busy";
  readonly name?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly turns?: number;
  readonly firstPrompt?: string;
  readonly lastText?: string;
  /** The session it was forked or imported from. */
  readonly origin?: SessionId;
  readonly damage?: string;
}

/** Who writes a session: display only, the kernel lock is the authority. */
export interface OwnerInfo {
  readonly pid: number;
  readonly host: string;
  readonly startedAt: number;
  readonly version: string;
}
