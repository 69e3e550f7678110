import type { SessionId } from "../base/index.js";

/** What listing shows: header, newest summary and file facts. Fields the cheap path could not know are absent. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly path: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly bytes: number;
  /** `unreadable`: the system does not let this process read it; nothing is known of its content. */
  readonly state: "sound" | "damaged" | "busy" | "unreadable";
  /** The shortest end of the id, above 8 digits, that is no end of another session's; absent where the last 8 are enough. */
  readonly short?: string;
  readonly name?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly turns?: number;
  readonly firstPrompt?: string;
  readonly lastText?: string;
  /** The session it was forked or imported from. */
  readonly origin?: SessionId;
  /** What is damaged first, or why it cannot be read. */
  readonly damage?: string;
}

/** Who writes a session: display only, the kernel lock is the authority. */
export interface OwnerInfo {
  readonly pid: number;
  readonly host: string;
  readonly startedAt: number;
  readonly version: string;
}
