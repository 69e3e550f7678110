import type { ModelRef } from "./ref.js";

/** How much a model thinks before it answers, weakest first. Issue of providers: one scale for every vendor. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "max"] as const;

export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

export const isThinkingLevel = (text: string): text is ThinkingLevel => (THINKING_LEVELS as readonly string[]).includes(text);

/** US dollars for a million tokens. A price that is absent is unknown, never 0. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface Price extends Rates {
  /** Rates of a request whose input has more tokens than this. */
  readonly long?: Rates & { readonly above: number };
}

/**
 * What a model can do. A field that is absent is unknown: nothing that depends on it is asked of the model, and no limit is assumed.
 * Specification, "Model capabilities".
 */
export interface ModelFacts {
  readonly contextTokens?: number;
  /** Most tokens of one answer. */
  readonly outputTokens?: number;
  readonly images?: boolean;
  readonly tools?: boolean;
  /** Levels it can be asked for, weakest first; empty: it never thinks. `off` is among them when thinking can be turned off. */
  readonly thinking?: readonly ThinkingLevel[];
  /** Takes schemas of tools as strict: arguments always satisfy them. */
  readonly strictTools?: boolean;
  /** Takes tools whose input is text held to a grammar. */
  readonly grammarTools?: boolean;
  /** Names of tools it was trained on, in the form the tool of that name has here. */
  readonly trainedTools?: readonly string[];
  /** Can be held to a response format. */
  readonly structuredOutput?: boolean;
  /** Takes temperature and top_p. */
  readonly sampling?: boolean;
  /** `points`: what is cached is marked in the request; `automatic`: the server sees to it. */
  readonly cache?: "none" | "automatic" | "points";
  readonly price?: Price;
  /** Words of the provider plugin to itself, for example which of its APIs serves the model. */
  readonly hints?: { readonly [name: string]: string | number | boolean };
}

/** A model as a server lists it. */
export interface ModelInfo extends ModelFacts {
  readonly ref: ModelRef;
  readonly title?: string;
}

/** A model as a reviewed catalog has it. */
export interface CatalogModel extends ModelFacts {
  readonly id: string;
  readonly title?: string;
  /** Other ids of the same model: dated ones, the ones of a gateway. */
  readonly also?: readonly string[];
  /** `YYYY-MM-DD`. */
  readonly released?: string;
}

/** The models of one provider, reviewed by people: shipped with its plugin. */
export interface ProviderCatalog {
  /** When it was reviewed, `YYYY-MM-DD`. */
  readonly date: string;
  /** Where its figures come from, for a person. */
  readonly source: string;
  readonly models: readonly CatalogModel[];
}
