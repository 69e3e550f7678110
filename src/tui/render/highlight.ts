import type { HLJSApi } from "highlight.js";

import { type Span } from "../text/index.js";
import type { StyleName } from "../theme/index.js";
import { GRAMMARS, languageOf } from "./grammars.js";

/** Code above these bounds stays plain: highlighting runs on the thread that draws. */
const MAX_LINES = 600;
const MAX_CHARS = 48 * 1024;
const MAX_CACHED = 300;

const CLASS_STYLES: readonly (readonly [RegExp, StyleName])[] = [
  [/keyword|selector-tag|tag$|literal|operator/, "syntax-keyword"],
  [/string|regexp|char|addition/, "syntax-string"],
  [/number|symbol|bullet/, "syntax-number"],
  [/comment|quote|deletion/, "syntax-comment"],
  [/title|section|function|name/, "syntax-title"],
  [/type|built_in|class/, "syntax-type"],
  [/attr|property|variable|template-variable|params/, "syntax-attribute"],
  [/meta|doctag/, "syntax-meta"],
];

const styleOf = (className: string): StyleName => CLASS_STYLES.find(([pattern]) => pattern.test(className))?.[1] ?? "text";

const ENTITY: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };

/** highlight.js' HTML (spans with classes and five entities, nothing else) to one list of spans a line. */
export function spansFromHtml(html: string): readonly (readonly Span[])[] {
  const lines: Span[][] = [[]];
  const stack: StyleName[] = ["text"];
  for (const part of html.split(/(<span class="[^"]*">|<\/span>)/)) {
    const current = stack.at(-1) ?? "text";
    const [, className] = /^<span class="([^"]*)">$/.exec(part) ?? [];
    if (className !== undefined) {
      const style = styleOf(className);
      stack.push(style === "text" ? current : style);
    } else if (part === "</span>") {
      if (stack.length > 1) stack.pop();
    } else {
      appendText(lines, part, current);
    }
  }
  return lines;
}

function appendText(lines: Span[][], escaped: string, style: StyleName): void {
  const plain = escaped.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITY[entity] ?? entity);
  for (const [index, text] of plain.split("\n").entries()) {
    if (index > 0) lines.push([]);
    if (text !== "") lines.at(-1)?.push({ text, style });
  }
}

/** What a renderer asks for colours: an answer from memory, or a promise to call back. */
export interface CodeColors {
  lines(info: string, code: string): readonly (readonly Span[])[] | undefined;
}

interface Job {
  readonly language: string;
  readonly code: string;
  readonly done: (() => void)[];
}

/** Highlights closed code blocks in idle turns, one a turn; grammars load when first needed. */
export class Highlighter {
  private readonly cache = new Map<string, readonly (readonly Span[])[]>();
  private readonly jobs = new Map<string, Job>();
  private running = false;
  private hljs: HLJSApi | undefined;
  private readonly loaded = new Set<string>();
  private readonly later: (work: () => void) => void;

  /** `later` runs a piece of work in an idle turn. */
  constructor(later: (work: () => void) => void) {
    this.later = later;
  }

  /** Colours of `code`, if known; otherwise they are made and `done` is called. Undefined for ever when there is no grammar. */
  lines(info: string, code: string, done: () => void): readonly (readonly Span[])[] | undefined {
    const language = languageOf(info);
    if (language === undefined || code.length > MAX_CHARS) return undefined;
    const id = `${language}\n${code}`;
    const known = this.cache.get(id);
    if (known !== undefined) {
      this.cache.delete(id);
      this.cache.set(id, known);
      return known.length === 0 ? undefined : known;
    }
    const job = this.jobs.get(id);
    if (job !== undefined) job.done.push(done);
    else this.jobs.set(id, { language, code, done: [done] });
    this.start();
    return undefined;
  }

  private start(): void {
    if (this.running) return;
    this.running = true;
    this.later(() => {
      const over = (): void => {
        this.running = false;
        if (this.jobs.size > 0) this.start();
      };
      this.next().then(over, over);
    });
  }

  private async next(): Promise<void> {
    const first = this.jobs.entries().next().value;
    if (first === undefined) return;
    const [id, job] = first;
    const lines = await this.highlight(job);
    this.jobs.delete(id);
    this.cache.set(id, lines);
    for (const old of this.cache.keys()) {
      if (this.cache.size <= MAX_CACHED) break;
      this.cache.delete(old);
    }
    if (lines.length > 0) for (const done of job.done) done();
  }

  /** Empty when it cannot be done: the code then stays plain. */
  private async highlight(job: Job): Promise<readonly (readonly Span[])[]> {
    if (job.code.split("\n", MAX_LINES + 1).length > MAX_LINES) return [];
    try {
      this.hljs ??= (await import("highlight.js/lib/core")).default;
      if (!this.loaded.has(job.language)) {
        const grammar = await GRAMMARS[job.language]?.();
        if (grammar === undefined) return [];
        this.hljs.registerLanguage(job.language, grammar.default);
        this.loaded.add(job.language);
      }
      return spansFromHtml(this.hljs.highlight(job.code, { language: job.language, ignoreIllegals: true }).value);
    } catch {
      // A grammar that fails on odd input costs colours, nothing else.
      return [];
    }
  }
}
