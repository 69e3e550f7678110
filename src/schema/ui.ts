import type { JsonValue } from "../base/index.js";

/**
 * What plugins say to people, by meaning and without knowing who shows it. The host checks every node, bounds it and replaces
 * control characters before anything of it is stored or shown. Specification, "User interface abstraction".
 */

/** Meaning of a piece of text; a frontend gives it a look. */
export type TextRole = "plain" | "muted" | "strong" | "emphasis" | "accent" | "success" | "warning" | "error" | "code";

/** A piece of text with one meaning. */
export interface TextSpan {
  readonly text: string;
  readonly role?: TextRole;
  /** `https:`, `http:`, `file:` or `mailto:`. */
  readonly href?: string;
}

/** How a result is shown to people, beside the text the model reads. */
export type RenderNode =
  | { readonly type: "text"; readonly spans: readonly TextSpan[] }
  | { readonly type: "code"; readonly text: string; readonly language?: string }
  /** A unified diff. */
  | { readonly type: "diff"; readonly text: string }
  | { readonly type: "table"; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly type: "list"; readonly items: readonly RenderNode[]; readonly ordered?: boolean }
  | { readonly type: "image"; readonly mediaType: string; readonly base64: string; readonly alt: string }
  | { readonly type: "progress"; readonly label: string; readonly done: number; readonly total?: number }
  | { readonly type: "group"; readonly title?: string; readonly children: readonly RenderNode[] };

/** Bounds of one render description: levels, nodes, UTF-16 units of all its texts, bytes of its images. */
export const RENDER_LIMITS = { depth: 16, nodes: 2_000, textUnits: 64 * 1024, imageBytes: 1024 * 1024 } as const;

/**
 * What a plugin may want from a person. What happens where a frontend cannot do it is fixed for each, never found out at run time:
 * `persist` keeps it in the session to be shown by whoever reads that, `drop` forgets it, `refuse` rejects the operation.
 */
export const UI_INTENTS = {
  notify: { unsupported: "persist" },
  status: { unsupported: "drop" },
  progress: { unsupported: "drop" },
  ask: { unsupported: "refuse" },
  choose: { unsupported: "refuse" },
  confirm: { unsupported: "refuse" },
} as const satisfies Readonly<Record<string, { readonly unsupported: "drop" | "refuse" | "persist" }>>;

/** Name of an intent; the words of the manifest's `ui` grant. */
export type UiIntentType = keyof typeof UI_INTENTS;

/** A question of a plugin to a person. */
export type Question =
  | { readonly type: "ask"; readonly text: string; readonly placeholder?: string; readonly initial?: string; readonly multiline?: boolean }
  | {
      readonly type: "choose";
      readonly text: string;
      readonly options: readonly QuestionOption[];
      /** Several may be taken. */
      readonly many?: boolean;
    }
  | { readonly type: "confirm"; readonly text: string; readonly yes?: string; readonly no?: string };

/** One thing that can be chosen. */
export interface QuestionOption {
  /** What the plugin gets back. */
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** What a person said. `dismissed`: they would not say. */
export type QuestionAnswer =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "chosen"; readonly values: readonly string[] }
  | { readonly type: "confirmed"; readonly yes: boolean }
  | { readonly type: "dismissed" };

/** One item a plugin keeps in the status line; an empty text takes it away. */
export interface StatusItem {
  readonly plugin: string;
  readonly key: string;
  readonly text: string;
  readonly role?: TextRole;
}

/** Most of what a plugin shows at once: items, UTF-16 units of each. */
export const STATUS_LIMITS = { items: 4, units: 60 } as const;

/** Values of a plugin's configuration by option name, and of its declared state by key: what a handler is given with its event. */
export type NamedValues = Readonly<Record<string, JsonValue>>;
