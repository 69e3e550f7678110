import type { ProviderDelta } from "smith-agent/plugin";

/**
 * Where in an answer with inlined thinking its text is. `start`: nothing but blanks yet; `lead`: after the opening tag; `inside`: in the
 * thinking; `after`: after the closing tag; `text`: the answer. `held` may turn out to be a tag, or blanks that belong to none.
 */
export type Inline = { readonly phase: "start" | "lead" | "inside" | "after" | "text"; readonly held: string };

export const NO_INLINE: Inline = { phase: "text", held: "" };
export const MAY_BE_INLINE: Inline = { phase: "start", held: "" };

const OPEN = "<think>";
const CLOSE = "</think>";

interface InlineStep {
  readonly inline: Inline;
  readonly deltas: readonly ProviderDelta[];
}

/** Takes a piece of text. What comes out, put together, does not depend on how the text was cut. */
export function takeInline({ phase, held }: Inline, piece: string): InlineStep {
  const text = held + piece;
  switch (phase) {
    case "text":
      return { inline: NO_INLINE, deltas: said("text", text) };
    case "start": {
      const begun = text.trimStart();
      if (begun.startsWith(OPEN)) return takeInline({ phase: "lead", held: "" }, begun.slice(OPEN.length));
      return OPEN.startsWith(begun) ? { inline: { phase, held: text }, deltas: [] } : { inline: NO_INLINE, deltas: said("text", text) };
    }
    case "lead": {
      const begun = text.trimStart();
      return begun === "" ? { inline: { phase, held: "" }, deltas: [] } : takeInline({ phase: "inside", held: "" }, begun);
    }
    case "inside":
      return takeInside(text);
    case "after": {
      const begun = text.trimStart();
      return begun === "" ? { inline: { phase, held: "" }, deltas: [] } : { inline: NO_INLINE, deltas: said("text", begun) };
    }
  }
}

function takeInside(text: string): InlineStep {
  const end = text.indexOf(CLOSE);
  if (end >= 0) {
    const rest = takeInline({ phase: "after", held: "" }, text.slice(end + CLOSE.length));
    return { inline: rest.inline, deltas: [...said("thinking", text.slice(0, end).trimEnd()), ...rest.deltas] };
  }
  // Blanks before the closing tag belong to it, so they wait with what may be its beginning.
  const sign = text.lastIndexOf("<");
  const upTo = sign >= 0 && CLOSE.startsWith(text.slice(sign)) ? sign : text.length;
  const words = text.slice(0, upTo).trimEnd();
  return { inline: { phase: "inside", held: text.slice(words.length) }, deltas: said("thinking", words) };
}

/** What is left when no more text comes. */
export function flushInline({ phase, held }: Inline): readonly ProviderDelta[] {
  return said(phase === "inside" ? "thinking" : "text", phase === "inside" ? held.trimEnd() : held);
}

const said = (type: "text" | "thinking", text: string): readonly ProviderDelta[] => (text === "" ? [] : [{ type, text }]);
