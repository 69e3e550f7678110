import type { JsonObject, JsonValue } from "../../base/index.js";
import type { CredentialSource } from "../model/index.js";
import type { ImageRef } from "../tool.js";

/** One server of the Model Context Protocol as configuration says it. Its name is what people and tools call it. */
export interface McpServerSetting {
  readonly name: string;
  readonly transport: McpTransportSetting;
  /** Of one request, ms. Default 30,000. */
  readonly timeoutMs: number;
  /** A run that cannot reach it fails before its first request. Default: it goes on without. */
  readonly required: boolean;
  readonly enabled: boolean;
  /** Names or patterns with `*` of the server's own tool names. Empty: all. */
  readonly allow: readonly string[];
  /** Wins over `allow`. */
  readonly deny: readonly string[];
  /** Whether its tools are in every request, or found by a search; `auto`: by their size. */
  readonly offer: "auto" | "always" | "search";
  readonly source: McpServerSource;
}

/** Where a server's setting stands. */
export interface McpServerSource {
  /** `user`: the person's own files. `project`: files of the project, used only once it is trusted. `run`: given for this run. */
  readonly from: "user" | "project" | "run";
  readonly file: string;
  readonly line?: number;
}

/** How a server is reached: as a child process, or over HTTP. */
export type McpTransportSetting =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** Values as they are written: `${NAME}` and `${NAME:-default}` stand for variables, `{secret:NAME}` for secrets. */
      readonly env: Readonly<Record<string, string>>;
      /** Further variables of smith's own environment it may see, by name or pattern. */
      readonly inherit: readonly string[];
      /** Relative to the folder of the file that names it. */
      readonly cwd?: string;
    }
  | {
      readonly type: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** A static token, sent as `Authorization: Bearer`. */
      readonly bearer?: CredentialSource;
      /** What is known of signing in beforehand; the rest is found out from the server. */
      readonly oauth?: {
        readonly clientId?: string;
        /** As it is written: it may stand for a variable or a secret, as a header may. */
        readonly clientSecret?: string;
        readonly scopes?: readonly string[];
        readonly callbackPort?: number;
      };
    };

/**
 * `stale`: not connected yet, its tools are the last that were seen. `sign-in`: it wants a person to sign in first. `off`: disabled.
 */
export type McpServerState = "off" | "connecting" | "stale" | "connected" | "reconnecting" | "sign-in" | "failed";

/** What happened to a server, in the words of events. */
export type McpEventState = "connected" | "disconnected" | "reconnecting" | "failed" | "tools-changed" | "sign-in";

/** What is known of one server now. */
export interface McpServerView {
  readonly name: string;
  readonly state: McpServerState;
  /** Why it is in that state, in words; absent where there is nothing to say. */
  readonly message?: string;
  /** What the server calls itself. */
  readonly title?: string;
  readonly version?: string;
  /** Revision of the protocol that was agreed on. */
  readonly protocol?: string;
  /** What it wants models to know about using it, bounded to 8 KiB. */
  readonly instructions?: string;
  readonly tools: readonly McpToolInfo[];
  readonly prompts: readonly McpPromptInfo[];
  /** Whether it has resources to read. */
  readonly resources: boolean;
  /** What went wrong without ending the connection: a page that failed, a cursor that never ends. */
  readonly notes: readonly string[];
  /** What the setting says of its tools. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly offer: "auto" | "always" | "search";
  readonly timeoutMs: number;
}

/** A tool as its server lists it: nothing of it is checked yet but that it has a name. */
export interface McpToolInfo {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: JsonValue;
  /** Hints, never a grant. */
  readonly annotations?: {
    readonly readOnly?: boolean;
    readonly destructive?: boolean;
    readonly idempotent?: boolean;
    readonly openWorld?: boolean;
  };
}

/** A prompt as its server lists it. */
export interface McpPromptInfo {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[];
}

/** A part of what a server answered. Bytes that are no image stay with the host: the plugin is told of them. */
export type McpContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly image: ImageRef }
  | { readonly type: "resource"; readonly uri: string; readonly mediaType?: string; readonly text: string }
  /** `kind`: `image` where its bytes are none we know, `audio`, `blob`, `link`, or the type the server named. */
  | {
      readonly type: "other";
      readonly kind: string;
      readonly uri?: string;
      readonly name?: string;
      readonly description?: string;
      readonly mediaType?: string;
      readonly bytes?: number;
    };

/** One call of a tool of a server. */
export interface McpCallInput {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly args: JsonObject;
}

/** What a tool of a server answered. */
export interface McpCallOutput {
  readonly content: readonly McpContent[];
  readonly structured?: JsonValue;
  readonly isError: boolean;
  /** Characters that were left out for the bound of one answer, 1 MiB. */
  readonly omitted: number;
}

/** A prompt as its server rendered it. */
export interface McpPromptOutput {
  readonly description?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: McpContent }[];
}

/** A resource, or a template of some, as its server lists it. */
export interface McpResourceInfo {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mediaType?: string;
  readonly bytes?: number;
}
