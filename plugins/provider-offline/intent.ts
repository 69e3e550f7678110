import { matchParts, maskQuotes, quoted } from "./quotes.js";
import { fileOperand, folderOperand, looksLikeFile, textOperand } from "./operands.js";

/** What a person asked for, as far as the rules go. */
export type Intent =
  | { readonly type: "list"; readonly path?: string }
  | { readonly type: "read"; readonly path: string; readonly offset?: number; readonly limit?: number }
  | { readonly type: "outline"; readonly path: string }
  | { readonly type: "find"; readonly pattern: string; readonly path?: string }
  | { readonly type: "search"; readonly text: string; readonly path?: string; readonly orName: boolean }
  | Replacement
  | { readonly type: "create"; readonly path: string; readonly content: string }
  | { readonly type: "run"; readonly command: string }
  | { readonly type: "fix"; readonly command: string; readonly replacement: Replacement }
  | { readonly type: "summarize" }
  | { readonly type: "help" }
  | { readonly type: "unknown"; readonly text: string };

export type Replacement = { readonly type: "replace"; readonly path: string; readonly from: string; readonly to: string };

interface Rule {
  /** Its groups tile the text, see {@link matchParts}. */
  readonly pattern: RegExp;
  readonly make: (parts: readonly string[]) => Intent | undefined;
}

const MAX_STEPS = 10;
/** Longer messages carry attached context; only their first line is read. */
const MAX_CHARACTERS = 4000;

/** One request, or several joined by `then` or one a line. Never empty; what no rule knows comes back as `unknown`. */
export function readIntents(text: string): readonly Intent[] {
  if (text.length > MAX_CHARACTERS) return [leadOf(text)];
  const whole = readIntent(text);
  const parts = split(text);
  if (parts.length > 1 && parts.length <= MAX_STEPS && !(whole.type === "create" && text.includes("\n"))) {
    const steps = parts.map(readIntent);
    if (steps.every((step) => step.type !== "unknown" && step.type !== "help")) return steps;
  }
  return [whole.type === "unknown" ? leadOf(text) : whole];
}

/** Attached context follows the request: then its first line alone may be one. A text to be written is never cut like that. */
function leadOf(text: string): Intent {
  const unknown: Intent = { type: "unknown", text: text.trim() };
  const [first = ""] = unknown.text.split("\n", 1);
  if (first.length > MAX_CHARACTERS) return unknown;
  const lead = readIntent(first);
  return lead.type === "unknown" || (lead.type === "create" && first !== unknown.text) ? unknown : lead;
}

function split(text: string): readonly string[] {
  const mask = maskQuotes(text);
  const parts: string[] = [];
  let from = 0;
  for (const match of mask.matchAll(/\s*[,;]?\s+(?:and\s+)?then\s+|\s*\n\s*/giu)) {
    parts.push(text.slice(from, match.index));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)].filter((part) => part.trim() !== "");
}

function readIntent(text: string): Intent {
  const request = plain(text);
  const mask = maskQuotes(request);
  for (const { pattern, make } of RULES) {
    const parts = matchParts(request, pattern, mask);
    const intent = parts === undefined ? undefined : make(parts);
    if (intent !== undefined) return intent;
  }
  return { type: "unknown", text: text.trim() };
}

const BEFORE =
  /^((?:(?:hey|hi|hello|ok|okay|so|and|now|first|also|finally|smith|please|kindly|just|let's|let us)[\s,:!]+|(?:can|could|would|will)\s+you\s+|i(?:'d|\s+would)?\s+(?:like|want|need)\s+(?:you\s+)?to\s+)*)(.*)$/isu;
const AFTER = /^(.*?)((?:[\s,]+(?:please|thanks|thank\s+you|for\s+me|now))*[\s.!?]*)$/isu;
const AFTER_COMMA = /^(.*?)(,\s*(?:please|thanks|thank\s+you)[.!?]*)$/isu;
const TAKES_REST = /^(?:run|execute|[$!]|create|write|put|save|add|make)/iu;

/**
 * Courtesy is not part of a request. Where the rest of the line is a command or a text it is taken literally, but for
 * what a sentence must end in: the mark of a question, the full stop after a command in a sentence that starts as one.
 */
function plain(text: string): string {
  const trimmed = text.trim();
  const body = matchParts(trimmed, BEFORE)?.[1] ?? trimmed;
  if (body === "") return trimmed;
  if (!TAKES_REST.test(body)) return stripped(body, AFTER);
  const rest = stripped(body, AFTER_COMMA);
  const isAsked = /^(?:can|could|would|will)\b/iu.test(trimmed);
  if (isAsked && rest.endsWith("?")) return rest.slice(0, -1);
  const isSentence = /^(?:run|execute)\b/iu.test(rest) && /^\p{Lu}/u.test(trimmed);
  return isSentence ? rest.replace(/(?<=[\p{L}\d"'`])\.$/u, "") : rest;
}

function stripped(text: string, ending: RegExp): string {
  const body = matchParts(text, ending)?.[0] ?? "";
  // A dot on its own is the working directory, and marks alone are a request for help.
  return body === "" || /\s\.$/u.test(text) ? text : body;
}

const isSession = (rest: string): boolean =>
  /^(?:this|it|everything|all)?$|\b(?:session|conversation|chat|discussion|so far|work|what (?:we|you|was|has))\b/iu.test(rest.trim());

const replacement = (path: string, from: string, to: string): Replacement | undefined => {
  const file = fileOperand(path);
  const old = textOperand(from);
  return file === undefined || old === "" ? undefined : { type: "replace", path: file, from: old, to: textOperand(to) };
};

const search = (text: string, place: string, orName = false): Intent | undefined => {
  const wanted = textOperand(text);
  const path = folderOperand(place);
  return wanted === "" ? undefined : { type: "search", text: wanted, orName, ...(path === undefined ? {} : { path }) };
};

const find = (pattern: string, place: string): Intent | undefined => {
  const wanted = textOperand(pattern);
  const path = folderOperand(place);
  if (wanted === "") return undefined;
  const glob = /[*?[{./]/u.test(wanted) ? wanted : `*${wanted}*`;
  return { type: "find", pattern: glob, ...(path === undefined ? {} : { path }) };
};

/** A bare `find` means names when the text looks like a name or a pattern, and contents otherwise. */
const findOrSearch = (text: string, place: string): Intent | undefined =>
  quoted(text) === undefined && (/[*?]/u.test(text) || looksLikeFile(text)) && !/\s/u.test(text.trim())
    ? find(text, place)
    : search(text, place, true);

const list = (place: string): Intent => {
  const path = folderOperand(place);
  return { type: "list", ...(path === undefined ? {} : { path }) };
};

const read = (path: string, first = "", last = ""): Intent | undefined => {
  const file = fileOperand(path);
  if (file === undefined) return undefined;
  const offset = first === "" ? undefined : Math.max(1, Number(first));
  const limit = offset === undefined ? undefined : Math.max(1, (last === "" ? offset : Number(last)) - offset + 1);
  return { type: "read", path: file, ...(offset === undefined ? {} : { offset }), ...(limit === undefined ? {} : { limit }) };
};

const outline = (path: string): Intent | undefined => {
  const file = fileOperand(path);
  return file === undefined ? undefined : { type: "outline", path: file };
};

const create = (path: string, content: string): Intent | undefined => {
  const file = fileOperand(path);
  const text = textOperand(content);
  return file === undefined ? undefined : { type: "create", path: file, content: text === "" || text.endsWith("\n") ? text : `${text}\n` };
};

const run = (command: string): Intent | undefined => {
  const line = textOperand(command);
  // Which command runs "the tests" is not for a rule to guess.
  return line === "" || /^(?:the |all |my |our )?(?:tests?|build|checks?|command)$/iu.test(line)
    ? undefined
    : { type: "run", command: line };
};

function fix(command: string, change: string): Intent | undefined {
  const line = textOperand(command);
  const asked = readIntent(
    change
      .replace(/^replacing/iu, "replace")
      .replace(/^changing/iu, "change")
      .replace(/^removing/iu, "remove"),
  );
  return line === "" || asked.type !== "replace" ? undefined : { type: "fix", command: line, replacement: asked };
}

/** First that fits wins. Order: whole-sentence forms before those that take a rest of any shape. */
const RULES: readonly Rule[] = [
  {
    pattern: /^((?:summari[sz]e|summary|recap|sum\s+up)\b)(.*)$/isu,
    make: ([, rest = ""]) => (isSession(rest) && !looksLikeFile(rest) ? { type: "summarize" } : outline(rest)),
  },
  { pattern: /^(what\s+(?:have|did|has)\s+(?:we|you|been)\b.*|what\s+happened\b.*)$/isu, make: () => ({ type: "summarize" }) },
  {
    pattern:
      /^((?:fix|repair|make)\b\s*:?\s*(?:(?:this|the|a)\s+)?(?:failing\s+)?(?:(?:command|test)\s*:?\s+)?(?:run(?:ning)?\s+)?)(.+?)((?:\s+pass)?\s*[,;:.]?\s+(?:(?:and|then|by|with)\s+)*)((?:replac(?:e|ing)|chang(?:e|ing)|remov(?:e|ing))\s.+)$/isu,
    make: ([, command = "", , change = ""]) => fix(command, change),
  },
  {
    pattern:
      /^((?:replace|substitute)\s+(?:(?:all|every|each)\s+(?:occurrences?\s+of\s+)?)?)(.+?)(\s+(?:by|with)\s+)(.*)(\s+in\s+)(.+)$/isu,
    make: ([, from = "", , to = "", , path = ""]) => replacement(path, from, to),
  },
  {
    pattern: /^((?:change|rename)\s+(?:(?:all|every|each)\s+(?:occurrences?\s+of\s+)?)?)(.+?)(\s+(?:to|into)\s+)(.*)(\s+in\s+)(.+)$/isu,
    make: ([, from = "", , to = "", , path = ""]) => replacement(path, from, to),
  },
  {
    pattern: /^(in\s+)(.+?)(\s*,?\s+(?:replace|substitute|change)\s+)(.+?)(\s+(?:by|with|to)\s+)(.+)$/isu,
    make: ([, path = "", , from = "", , to = ""]) => replacement(path, from, to),
  },
  { pattern: /^((?:remove|delete)\s+)(.+)(\s+from\s+)(.+)$/isu, make: ([, from = "", , path = ""]) => replacement(path, from, '""') },
  {
    pattern:
      /^((?:create|make|add|write)\s+(?:(?:a|an|the)\s+)?(?:new\s+)?(?:file\s+)?(?:(?:called|named)\s+)?)(\S+)(\s+(?:with|containing|that\s+(?:contains|says))\s+(?:the\s+)?(?:(?:content|contents|text|line)\s*:?\s+)?|\s*:\s+)(.+)$/isu,
    make: ([, path = "", , content = ""]) => create(path, content),
  },
  {
    pattern: /^(create\s+(?:(?:a|an)\s+)?(?:new\s+)?(?:empty\s+)(?:file\s+)?(?:(?:called|named)\s+)?)(\S+)$/isu,
    make: ([, path = ""]) => create(path, '""'),
  },
  {
    pattern: /^((?:write|put|save)\s+)(.+)(\s+(?:to|into|in)\s+(?:(?:a|the)\s+)?(?:new\s+)?(?:file\s+)?)(\S+)$/isu,
    make: ([, content = "", , path = ""]) => create(path, content),
  },
  { pattern: /^((?:run|execute)\b\s*:?\s*(?:(?:the\s+)?(?:shell\s+)?command\s*:?\s+)?)(.+)$/isu, make: ([, command = ""]) => run(command) },
  { pattern: /^([$!]\s*)(\S.*)$/isu, make: ([, command = ""]) => run(command) },
  {
    pattern:
      /^((?:explain|outline|describe)\s+(?:(?:me|to\s+me)\s+)?(?:(?:the|this)\s+(?:file's\s+)?(?:shape|structure|outline)\s*(?:of\b|:)\s*)?)(.+?)((?:'s)?\s+(?:shape|structure|outline))?$/isu,
    make: ([, path = ""]) => outline(path),
  },
  { pattern: /^(what\s+does\s+)(.+)(\s+do)$/isu, make: ([, path = ""]) => (looksLikeFile(path) ? outline(path) : undefined) },
  { pattern: /^(?:pwd|where\s+am\s+i)$/isu, make: () => ({ type: "run", command: "pwd" }) },
  {
    pattern:
      /^((?:list|show|display|give|print)\s+(?:me\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+|my\s+)?(?:files|folders|directories|contents?|files\s+and\s+folders)(?:\s+(?:that\s+are\s+)?(?:in|inside|of|under|from)\b)?)(.*)$/isu,
    make: ([, place = ""]) => (looksLikeFile(place) ? read(place) : list(place)),
  },
  {
    pattern: /^(wh(?:at|ich)\s+(?:files|folders)\s+(?:are|do\s+(?:we|i|you)\s+have)\s*(?:there\b)?\s*(?:in|inside|under)?)(.*)$/isu,
    make: ([, place = ""]) => list(place),
  },
  {
    pattern: /^(what(?:'s|\s+is|\s+are)\s+(?:in|inside)\s+)(.+)$/isu,
    make: ([, place = ""]) => (looksLikeFile(place) ? read(place) : list(place)),
  },
  { pattern: /^(what\s+does\s+)(.+)(\s+(?:say|contain|look\s+like))$/isu, make: ([, path = ""]) => read(path) },
  { pattern: /^((?:list|ls|dir|tree)\b)(.*)$/isu, make: ([, place = ""]) => list(place) },
  {
    pattern:
      /^((?:find|search\s+for|look\s+for)\s+(?:all\s+|every\s+)?(?:the\s+)?files?\s+(?:(?:that\s+(?:are|is)\s+)?(?:named|called|matching|with\s+(?:the\s+)?name|like)\s+)?)(.+?)(?:(\s+(?:in|inside|under)\s+)(\S+))?$/isu,
    make: ([, pattern = "", , place = ""]) => find(pattern, place),
  },
  {
    pattern: /^(find\s+(?:all\s+|every\s+)?(?:the\s+)?\.?)([\p{L}\d]+)(\s+files?)(?:(\s+(?:in|inside|under)\s+)(\S+))?$/isu,
    make: ([, ending = "", , , place = ""]) => find(`*.${ending}`, place),
  },
  { pattern: /^(search\s+)(\S+)(\s+for\s+)(.+)$/isu, make: ([, place = "", , text = ""]) => search(text, place) },
  {
    pattern: /^(search\s+(?:the\s+)?(?:project|code|files|workspace|repo|repository)\s+for\s+)(.+)$/isu,
    make: ([, text = ""]) => search(text, ""),
  },
  {
    pattern: /^(grep\s+)([^\s\u0001]+|\u0001+)(\s+)((?!in\s)[^\s\u0001]+|\u0001+)$/isu,
    make: ([, text = "", , place = ""]) => search(text, place),
  },
  {
    pattern:
      /^((?:search(?:\s+for)?|grep(?:\s+for)?|look\s+for)\s+)(.+?)(?:(\s+(?:in|inside|under)\s+)((?:(?:this|the)\s+)?\S+(?:\s+(?:folder|directory))?))?$/isu,
    make: ([, text = "", , place = ""]) => search(text, place),
  },
  {
    pattern: /^(find\s+)(.+?)(?:(\s+(?:in|inside|under)\s+)((?:(?:this|the)\s+)?\S+(?:\s+(?:folder|directory))?))?$/isu,
    make: ([, text = "", , place = ""]) => findOrSearch(text, place),
  },
  {
    pattern:
      /^(where\s+(?:is|are)\s+|wh(?:ich|at)\s+files?\s+(?:mentions?|contains?|uses?|have|has)\s+)(.+?)(\s+(?:defined|used|mentioned|set|declared|called))?$/isu,
    make: ([, text = ""]) => search(text, "", true),
  },
  {
    pattern: /^((?:read|show|print|view)\s+(?:me\s+)?(?:the\s+)?lines?\s+)(\d+)((?:\s*(?:-|–|to)\s*)?)(\d*)(\s+(?:of|from|in)\s+)(.+)$/isu,
    make: ([, first = "", , last = "", , path = ""]) => read(path, first, last),
  },
  {
    pattern: /^((?:read|show|cat|view)\s+(?:me\s+)?)(.+?)(\s*,?\s+lines?\s+)(\d+)((?:\s*(?:-|–|to)\s*)?)(\d*)$/isu,
    make: ([, path = "", , first = "", , last = ""]) => read(path, first, last),
  },
  {
    pattern: /^((?:read|cat|show|open|print|view|display)\s+(?:me\s+)?(?:(?:the\s+)?contents?\s+of\s+)?)(.+)$/isu,
    make: ([, path = ""]) => read(path),
  },
  {
    pattern:
      /^(\/?help|\?|hi|hello|hey|what\s+can\s+you\s+do|what\s+do\s+you\s+understand|what\s+are\s+you|who\s+are\s+you|how\s+do\s+(?:i|you)\b.*)$/isu,
    make: () => ({ type: "help" }),
  },
];
