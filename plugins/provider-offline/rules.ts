import { call, create, find, findKind, findOrSearch, head, inside, list, outline, read, replacement, run, search } from "./builders.js";
import type { Intent } from "./intent.js";
import { commandOperand, looksLikeFile } from "./operands.js";
import { maskQuotes, matchParts } from "./quotes.js";

interface Rule {
  /** Its groups tile the text, see {@link matchParts}. */
  readonly pattern: RegExp;
  readonly make: (parts: readonly string[]) => Intent | undefined;
}

/** What the first fitting rule makes of a request, if any does. */
export const applyRules = (request: string): Intent | undefined => firstFit(request, RULES);

function firstFit(request: string, rules: readonly Rule[]): Intent | undefined {
  const mask = maskQuotes(request);
  for (const { pattern, make } of rules) {
    const parts = matchParts(request, pattern, mask);
    const intent = parts === undefined ? undefined : make(parts);
    if (intent !== undefined) return intent;
  }
  return undefined;
}

const isSession = (rest: string): boolean =>
  !looksLikeFile(rest) &&
  /^(?:this|it|everything|all)?$|\b(?:session|conversation|chat|discussion|so far|work|what (?:we|you|was|has))\b/iu.test(rest.trim());

const REPLACING: readonly Rule[] = [
  {
    pattern:
      /^((?:replac(?:e|ing)|substitut(?:e|ing))\s+(?:(?:all|every|each)\s+(?:occurrences?\s+of\s+)?)?)(.+?)(\s+(?:by|with)\s+)(.*)(\s+in\s+)(.+)$/isu,
    make: ([, from = "", , to = "", , path = ""]) => replacement(path, from, to),
  },
  {
    pattern:
      /^((?:chang(?:e|ing)|renam(?:e|ing))\s+(?:(?:all|every|each)\s+(?:occurrences?\s+of\s+)?)?)(.+?)(\s+(?:to|into)\s+)(.*)(\s+in\s+)(.+)$/isu,
    make: ([, from = "", , to = "", , path = ""]) => replacement(path, from, to),
  },
  {
    pattern: /^(in\s+)(.+?)(\s*,?\s+(?:replace|substitute|change)\s+)(.+?)(\s+(?:by|with|to)\s+)(.+)$/isu,
    make: ([, path = "", , from = "", , to = ""]) => replacement(path, from, to),
  },
  {
    pattern: /^((?:remov(?:e|ing)|delet(?:e|ing))\s+)(.+)(\s+from\s+)(.+)$/isu,
    make: ([, from = "", , path = ""]) => replacement(path, from, '""'),
  },
];

function fix(words: string, change: string): Intent | undefined {
  const command = commandOperand(words);
  const asked = firstFit(change, REPLACING);
  return command === "" || asked?.type !== "replace" ? undefined : { type: "fix", command, replacement: asked };
}

const FIXING: readonly Rule[] = [
  {
    pattern: /^(fix\s+(?:this|the)\s+(?:failing\s+)?(?:command|test)\s+by\s+)(\S+ing\s.+\sin\s+\S+?)(\s*:\s+)(.+)$/isu,
    make: ([, change = "", , command = ""]) => fix(command, change),
  },
  {
    pattern:
      /^((?:fix|repair|make)\b\s*:?\s*(?:(?:this|the|a)\s+)?(?:failing\s+)?(?:(?:command|test)\s*:?\s+)?(?:run(?:ning)?\s+)?)(.+?)((?:\s+pass)?\s*[,;:.]?\s+(?:(?:and|then|by|with)\s+)*)((?:replac|chang|remov)(?:e|ing)\s.+)$/isu,
    make: ([, command = "", , change = ""]) => fix(command, change),
  },
  {
    pattern:
      /^(run\s+)(.+?)(\s*[,;.]?\s+(?:and\s+|then\s+)*(?:fix\s+it\s+(?:by\s+)?|if\s+(?:it|that)\s+fails\s*,?\s+(?:then\s+)?))((?:replac|chang|remov)(?:e|ing)\s.+)$/isu,
    make: ([, command = "", , change = ""]) => fix(command, change),
  },
];

const SESSION: readonly Rule[] = [
  {
    pattern: /^((?:(?:give|show)\s+me\s+)?(?:a\s+|the\s+)?(?:summari[sz]e|summary|recap|sum\s+up)\b(?:\s+of\b)?)(.*)$/isu,
    make: ([, rest = ""]) => (isSession(rest) ? { type: "summarize" } : outline(rest)),
  },
  { pattern: /^(what\s+(?:have|did|has)\s+(?:we|you|been)\b.*|what\s+(?:happened|changed)\b.*)$/isu, make: () => ({ type: "summarize" }) },
  {
    pattern:
      /^(\/?help|\?|hi|hello|hey|thanks|thank\s+you|wh(?:at|o)\s+are\s+you|what\s+(?:kind\s+of\s+)?model\s+.*|what\s+can\s+(?:you|i)\s+.*|what\s+do\s+you\s+understand|how\s+do\s+(?:i|you)\b.*)$/isu,
    make: () => ({ type: "help" }),
  },
];

const WRITING: readonly Rule[] = [
  {
    pattern:
      /^((?:create|make|add|write)\s+(?:(?:a|an|the)\s+)?(?:new\s+)?(?:file\s+)?(?:(?:called|named)\s+)?)(\S+)(\s+(?:with|containing|that\s+(?:contains|says))\s+(?:the\s+)?(?:(?:content|contents|text|line)\s*:?\s+)?|\s*:\s+)(.+)$/isu,
    make: ([, path = "", , content = ""]) => create(path, content),
  },
  {
    pattern: /^(create\s+(?:(?:a|an)\s+)?(?:new\s+)?empty\s+(?:file\s+)?(?:(?:called|named)\s+)?)(\S+)$/isu,
    make: ([, path = ""]) => create(path, '""'),
  },
  {
    pattern: /^((?:write|put|save)\s+)(.+)(\s+(?:to|into|in)\s+(?:(?:a|the)\s+)?(?:new\s+)?(?:file\s+)?)(\S+)$/isu,
    make: ([, content = "", , path = ""]) => create(path, content),
  },
];

const RUNNING: readonly Rule[] = [
  { pattern: /^((?:run|execute)\b\s*:?\s*(?:(?:the\s+)?(?:shell\s+)?command\s*:?\s+)?)(.+)$/isu, make: ([, command = ""]) => run(command) },
  { pattern: /^([$!]\s*)(\S.*)$/isu, make: ([, command = ""]) => run(command) },
  { pattern: /^(?:pwd|where\s+am\s+i)$/isu, make: () => ({ type: "run", command: "pwd" }) },
];

const CALLING: readonly Rule[] = [
  {
    pattern: /^(call\s+(?:(?:the\s+)?tool\s+)?)([a-z][\w-]*)((?:\s+with)?\s*)((?:\{.*\})?)$/isu,
    make: ([, tool = "", , json = ""]) => call(tool, json),
  },
];

const LISTING: readonly Rule[] = [
  {
    pattern:
      /^((?:list|show|display|give|print)\s+(?:me\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+|my\s+)?(?:files\s+and\s+folders|files|folders|directories|contents?|everything)(?:\s+(?:that\s+are\s+)?(?:in|inside|of|under|from)\b)?)(.*)$/isu,
    make: ([, place = ""]) => inside(place),
  },
  {
    pattern:
      /^((?:(?:show|tell)\s+me\s+)?wh(?:at|ich)\s+(?:are\s+the\s+(?:files|folders)|(?:files|folders)\s+(?:are|do\s+(?:we|i|you)\s+have))\s*(?:there\b)?\s*(?:in\b|inside\b|under\b)?)(.*)$/isu,
    make: ([, place = ""]) => list(place),
  },
  {
    pattern: /^((?:(?:show|tell)\s+me\s+)?what(?:'s|\s+is|\s+are)\s+(?:the\s+files\s+)?(?:in\s+|inside\s+|(?=here$|there$)))(.+)$/isu,
    make: ([, place = ""]) => inside(place),
  },
  { pattern: /^((?:list|ls|dir|tree)\b)(.*)$/isu, make: ([, place = ""]) => list(place) },
];

const IN = String.raw`(?:(\s+(?:in|inside|under)\s+)((?:(?:this|the)\s+)?(?:(?:file|folder|directory)\s+)?\S+(?:\s+(?:folder|directory|file))?))?`;
const within = (start: string): RegExp => new RegExp(`^${start}${IN}$`, "isu");

const SEARCHING: readonly Rule[] = [
  {
    pattern: within(
      String.raw`((?:find|search\s+for|look\s+for)\s+(?:all\s+|every\s+)?(?:the\s+)?files?\s+(?:that\s+)?end(?:ing|s)?\s+(?:in|with)\s+)(\S+)`,
    ),
    make: ([, ending = "", , place = ""]) => findKind(ending.startsWith(".") ? ending : `*${ending}`, place),
  },
  {
    pattern: within(
      String.raw`((?:find|search\s+for|look\s+for)\s+(?:all\s+|every\s+)?(?:the\s+)?files?\s+(?:(?:that\s+(?:are|is)\s+)?(?:named|called|matching|with\s+(?:the\s+)?name|like)\s+)?)(.+?)`,
    ),
    make: ([, pattern = "", , place = ""]) => find(pattern, place),
  },
  {
    pattern: within(String.raw`(find\s+(?:all\s+|every\s+)?(?:the\s+)?)(\S+)(\s+files?)`),
    make: ([, kind = "", , , place = ""]) => findKind(kind, place),
  },
  { pattern: /^(find\s+where\s+)(.+?)(\s+is\s+(?:used|defined|set|called|declared))$/isu, make: ([, text = ""]) => search(text, "") },
  {
    pattern: /^(search\s+(?:the\s+|this\s+)?(?:whole\s+)?(?:project|code|files|workspace|repo|repository|everything)\s+for\s+)(.+)$/isu,
    make: ([, text = ""]) => search(text, ""),
  },
  { pattern: /^(search\s+)(\S+)(\s+for\s+)(.+)$/isu, make: ([, place = "", , text = ""]) => search(text, place) },
  {
    pattern: /^(grep\s+(?:-[nriwHE]+\s+)*)([^\s\u0001]+|\u0001+)(\s+)((?!in\s)[^\s\u0001]+|\u0001+)$/isu,
    make: ([, text = "", , place = ""]) => search(text, place),
  },
  {
    pattern: within(String.raw`((?:search(?:\s+for)?|grep(?:\s+for)?|look\s+for)\s+)(.+?)`),
    make: ([, text = "", , place = ""]) => search(text, place),
  },
  { pattern: within(String.raw`(find\s+)(.+?)`), make: ([, text = "", , place = ""]) => findOrSearch(text, place) },
  {
    pattern:
      /^(where\s+(?:is|are|do\s+we\s+use)\s+|wh(?:ich|at)\s+files?\s+(?:mentions?|contains?|uses?|have|has)\s+|who\s+(?:calls|uses)\s+)(.+?)(\s+(?:defined|used|mentioned|set|declared|called))?$/isu,
    make: ([, text = ""]) => search(text, "", true),
  },
];

const READING: readonly Rule[] = [
  {
    pattern:
      /^((?:explain|outline|describe)\s+(?:(?:to\s+)?me\s+)?(?:what\s+)?(?:(?:the|this)\s+(?:file's\s+)?(?:shape|structure|outline)\s*(?:of\b|:)\s*)?)(.+?)((?:(?:'s)?\s+(?:shape|structure|outline)|\s+does)?)$/isu,
    make: ([, path = ""]) => outline(path),
  },
  { pattern: /^(what\s+does\s+)(.+)(\s+do)$/isu, make: ([, path = ""]) => (looksLikeFile(path) ? outline(path) : undefined) },
  { pattern: /^(what\s+does\s+)(.+)(\s+(?:say|contain|look\s+like))$/isu, make: ([, path = ""]) => read(path) },
  {
    pattern: /^((?:read|show|print|view|display)\s+(?:me\s+)?(?:the\s+)?first\s+)(\d+)(\s+lines?\s+(?:of|from|in)\s+)(.+)$/isu,
    make: ([, count = "", , path = ""]) => head(path, count),
  },
  {
    pattern:
      /^((?:read|show|print|view|display)\s+(?:me\s+)?(?:the\s+)?lines?\s+)(\d+)((?:\s*(?:-|–|to)\s*)?)(\d*)(\s+(?:of|from|in)\s+)(.+)$/isu,
    make: ([, first = "", , last = "", , path = ""]) => read(path, first, last),
  },
  {
    pattern: /^((?:read|show|cat|view|display)\s+(?:me\s+)?)(.+?)(\s*,?\s+lines?\s+)(\d+)((?:\s*(?:-|–|to)\s*)?)(\d*)$/isu,
    make: ([, path = "", , first = "", , last = ""]) => read(path, first, last),
  },
  {
    pattern:
      /^((?:read|cat|show|open|print|view|display|let\s+me\s+see|see)\s+(?:me\s+)?(?:(?:the\s+)?contents?\s+of\s+)?)(.+?)((?:\s+to\s+me)?)$/isu,
    make: ([, path = ""]) => read(path),
  },
];

/** First that fits wins. Order: whole-sentence forms before those that take a rest of any shape. */
const RULES: readonly Rule[] = [
  ...SESSION,
  ...CALLING,
  ...FIXING,
  ...REPLACING,
  ...WRITING,
  ...RUNNING,
  ...LISTING,
  ...SEARCHING,
  ...READING,
];
