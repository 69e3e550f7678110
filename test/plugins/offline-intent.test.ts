import { describe, expect, test } from "vitest";
import type { Intent } from "../../plugins/provider-offline/intent.js";
import { readIntents } from "../../plugins/provider-offline/reading.js";

const replace = (from: string, to: string, path: string) => ({ type: "replace", from, to, path }) as const;
const search = (text: string, path?: string, orName = false): Intent => ({
  type: "search",
  text,
  orName,
  ...(path === undefined ? {} : { path }),
});

const ONE: readonly (readonly [string, Intent])[] = [
  // call
  ["call todos", { type: "call", tool: "todos", args: {} }],
  [
    'call todos {"glob":"src/**/*.ts","deep":{"n":[1,"a b then list"]}}',
    { type: "call", tool: "todos", args: { glob: "src/**/*.ts", deep: { n: [1, "a b then list"] } } },
  ],
  ['call the tool acme_lint with {"path": "a.ts"}', { type: "call", tool: "acme_lint", args: { path: "a.ts" } }],
  ['call todos {"glob": "it\'s"}.', { type: "call", tool: "todos", args: { glob: "it's" } }],
  ["call todos {glob}", { type: "unknown", text: "call todos {glob}" }],
  ["call me later", { type: "unknown", text: "call me later" }],
  // list
  ["list", { type: "list" }],
  ["ls", { type: "list" }],
  ["list .", { type: "list" }],
  ["list src", { type: "list", path: "src" }],
  ["ls src/", { type: "list", path: "src/" }],
  ["List the files here.", { type: "list" }],
  ["list the files here", { type: "list" }],
  ["list files", { type: "list" }],
  ["list all files in src", { type: "list", path: "src" }],
  ["list the src folder", { type: "list", path: "src" }],
  ["show me the files in src", { type: "list", path: "src" }],
  ["show me the files", { type: "list" }],
  ["what files are in src", { type: "list", path: "src" }],
  ["What files are in src?", { type: "list", path: "src" }],
  ["what files are there?", { type: "list" }],
  ["which files are here?", { type: "list" }],
  ["what is in this folder?", { type: "list" }],
  ["what's in src/app", { type: "list", path: "src/app" }],
  ['list "my folder"', { type: "list", path: "my folder" }],
  ["list the contents of lib", { type: "list", path: "lib" }],
  ["ls -la src", { type: "list", path: "src" }],
  ["List everything in src", { type: "list", path: "src" }],
  ["show me what's in src", { type: "list", path: "src" }],
  ["what's here?", { type: "list" }],
  ["what are the files in lib?", { type: "list", path: "lib" }],
  ["could you please list the files in docs for me?", { type: "list", path: "docs" }],
  // read
  ["read package.json", { type: "read", path: "package.json" }],
  ["show me package.json", { type: "read", path: "package.json" }],
  ["show me the contents of package.json", { type: "read", path: "package.json" }],
  ["show the file package.json", { type: "read", path: "package.json" }],
  ["Can you show me src/index.ts?", { type: "read", path: "src/index.ts" }],
  ["please read the file src/a.ts.", { type: "read", path: "src/a.ts" }],
  ["cat Makefile", { type: "read", path: "Makefile" }],
  ["open LICENSE please", { type: "read", path: "LICENSE" }],
  ["what's in package.json?", { type: "read", path: "package.json" }],
  ["what does README.md say?", { type: "read", path: "README.md" }],
  ["read `two words.txt`", { type: "read", path: "two words.txt" }],
  ["read two words.txt", { type: "read", path: "two words.txt" }],
  ["read ünï-文.txt", { type: "read", path: "ünï-文.txt" }],
  ["read @src/a.ts", { type: "read", path: "src/a.ts" }],
  ["read lines 10-20 of src/a.ts", { type: "read", path: "src/a.ts", offset: 10, limit: 11 }],
  ["show line 7 of src/a.ts", { type: "read", path: "src/a.ts", offset: 7, limit: 1 }],
  ["read src/a.ts lines 3 to 5", { type: "read", path: "src/a.ts", offset: 3, limit: 3 }],
  ["read src/a.ts:10-20", { type: "read", path: "src/a.ts", offset: 10, limit: 11 }],
  ["display the first 10 lines of a.txt", { type: "read", path: "a.txt", offset: 1, limit: 10 }],
  ["show README.md to me", { type: "read", path: "README.md" }],
  ["let me see package.json", { type: "read", path: "package.json" }],
  ["what's in the README.md file?", { type: "read", path: "README.md" }],
  ["tell me what is in a.txt", { type: "read", path: "a.txt" }],
  ["read .gitignore", { type: "read", path: ".gitignore" }],
  // find and search
  ["find *.ts", { type: "find", pattern: "*.ts" }],
  ["find src/**/*.test.ts", { type: "find", pattern: "src/**/*.test.ts" }],
  ["find package.json", { type: "find", pattern: "package.json" }],
  ["find files named config", { type: "find", pattern: "*config*" }],
  ["find all files matching *.md in docs", { type: "find", pattern: "*.md", path: "docs" }],
  ["find all ts files in src", { type: "find", pattern: "*.ts", path: "src" }],
  ["find markdown files", { type: "find", pattern: "*.md" }],
  ["find test files", { type: "find", pattern: "*test*" }],
  ["find all *.md files", { type: "find", pattern: "*.md" }],
  ["find files ending in .md", { type: "find", pattern: "*.md" }],
  ["find files ending with _test.go in pkg", { type: "find", pattern: "*_test.go", path: "pkg" }],
  ["find all TODO comments", search("TODO", undefined, true)],
  ["find every use of foo", search("foo", undefined, true)],
  ["find where foo is used", search("foo")],
  ["search for the word TODO", search("TODO")],
  ["search everything for foo", search("foo")],
  ["grep -rn foo src", search("foo", "src")],
  ["grep foo in the file a.txt", search("foo", "a.txt")],
  ["who calls foo?", search("foo", undefined, true)],
  ["find TODO", search("TODO", undefined, true)],
  ["find TODO in src", search("TODO", "src", true)],
  ['find "a.ts"', search("a.ts", undefined, true)],
  ["search TODO", search("TODO")],
  ["search for TODO in src", search("TODO", "src")],
  ["search for `in here` in src/lib", search("in here", "src/lib")],
  ["search src for createServer", search("createServer", "src")],
  ["search the project for createServer", search("createServer")],
  ["grep needle in src", search("needle", "src")],
  ["grep needle src", search("needle", "src")],
  ["grep 'two words' src", search("two words", "src")],
  ["grep --dry-run", search("--dry-run")],
  ["search for -> in src", search("->", "src")],
  ["search for größe in this project", search("größe")],
  ["where is parseArgs defined?", search("parseArgs", undefined, true)],
  ["which files mention parseArgs?", search("parseArgs", undefined, true)],
  // outline
  ["explain src/a.ts", { type: "outline", path: "src/a.ts" }],
  ["explain this file's shape: src/a.ts", { type: "outline", path: "src/a.ts" }],
  ["explain this file: src/a.ts", { type: "outline", path: "src/a.ts" }],
  ["explain src/a.ts to me", { type: "outline", path: "src/a.ts" }],
  ["explain what src/a.ts does", { type: "outline", path: "src/a.ts" }],
  ["outline README.md", { type: "outline", path: "README.md" }],
  ["describe the structure of src/a.ts", { type: "outline", path: "src/a.ts" }],
  ["what does src/a.ts do?", { type: "outline", path: "src/a.ts" }],
  ["summarize README.md", { type: "outline", path: "README.md" }],
  // replace
  ["replace foo by bar in src/a.ts", replace("foo", "bar", "src/a.ts")],
  ["Replace foo with bar in src/a.ts.", replace("foo", "bar", "src/a.ts")],
  ["please replace all occurrences of foo by bar in a.txt", replace("foo", "bar", "a.txt")],
  ["replace `foo` by `bar baz` in `my file.txt`", replace("foo", "bar baz", "my file.txt")],
  ['replace "a by b" with "c in d" in e.txt', replace("a by b", "c in d", "e.txt")],
  ["replace 'it's' by 'it is' in a.md", replace("it's", "it is", "a.md")],
  ["replace ``a`b`` by ``c`d`` in x.md", replace("a`b", "c`d", "x.md")],
  ["replace “alt” by “neu” in größe.txt", replace("alt", "neu", "größe.txt")],
  ['replace "x" by "" in a.txt', replace("x", "", "a.txt")],
  ["replace MARK by $& $$ $1 in run.sh", replace("MARK", "$& $$ $1", "run.sh")],
  ["replace a - b by a + b in calc.js", replace("a - b", "a + b", "calc.js")],
  ["replace 漢字 by 🙂 in 文.txt", replace("漢字", "🙂", "文.txt")],
  ['replace "say \\"hi\\"" by "say hello" in a.txt', replace('say "hi"', "say hello", "a.txt")],
  ["replace ```\na\nb\n``` by ```\nc\n``` in a.txt", replace("a\nb", "c", "a.txt")],
  ["change foo to bar in a.txt", replace("foo", "bar", "a.txt")],
  ["rename foo to bar in a.txt", replace("foo", "bar", "a.txt")],
  ["in a.txt, replace foo by bar", replace("foo", "bar", "a.txt")],
  ["in a.txt replace foo with bar", replace("foo", "bar", "a.txt")],
  ["remove debugger; from a.js", replace("debugger;", "", "a.js")],
  // create
  ["create a.txt with hello", { type: "create", path: "a.txt", content: "hello\n" }],
  ["create a file notes/a.txt with hello world", { type: "create", path: "notes/a.txt", content: "hello world\n" }],
  ["create a new file called a.txt containing hello", { type: "create", path: "a.txt", content: "hello\n" }],
  ['create a.txt with the content "hello there"', { type: "create", path: "a.txt", content: "hello there\n" }],
  ["Create a.txt with Hello now.", { type: "create", path: "a.txt", content: "Hello now.\n" }],
  ["create `a b.txt` with x", { type: "create", path: "a b.txt", content: "x\n" }],
  ["create a.txt with one\ntwo\n", { type: "create", path: "a.txt", content: "one\ntwo\n" }],
  ["create a.js with ```js\nlet a = 1;\nlet b = 2;\n```", { type: "create", path: "a.js", content: "let a = 1;\nlet b = 2;\n" }],
  ["write hello to a.txt", { type: "create", path: "a.txt", content: "hello\n" }],
  ["create an empty file a.txt", { type: "create", path: "a.txt", content: "" }],
  // run
  ["run npm test", { type: "run", command: "npm test" }],
  ["please run npm test", { type: "run", command: "npm test" }],
  ["Can you run npm test?", { type: "run", command: "npm test" }],
  ["run npm test, please", { type: "run", command: "npm test" }],
  ["Run npm test.", { type: "run", command: "npm test" }],
  ["run echo please stop.", { type: "run", command: "echo please stop." }],
  ["Please run `npm test` and show me the output", { type: "run", command: "npm test" }],
  ["run npm test and tell me the result", { type: "run", command: "npm test" }],
  ["run ls .", { type: "run", command: "ls ." }],
  ["run `echo 'a  b' | cat`", { type: "run", command: "echo 'a  b' | cat" }],
  ['run echo "hi there"', { type: "run", command: 'echo "hi there"' }],
  ["run the command ls -la", { type: "run", command: "ls -la" }],
  ["execute ls && pwd", { type: "run", command: "ls && pwd" }],
  ["$ git status", { type: "run", command: "git status" }],
  ["run sleep 60", { type: "run", command: "sleep 60" }],
  // fix
  [
    "fix: run npm test, replace a - b by a + b in calc.js",
    { type: "fix", command: "npm test", replacement: replace("a - b", "a + b", "calc.js") },
  ],
  ["fix npm test by replacing foo with bar in a.js", { type: "fix", command: "npm test", replacement: replace("foo", "bar", "a.js") }],
  [
    "fix this failing command: node t.js; replace 1 by 2 in t.js",
    { type: "fix", command: "node t.js", replacement: replace("1", "2", "t.js") },
  ],
  ["fix `node t.js, x` and replace `1` by `2` in t.js", { type: "fix", command: "node t.js, x", replacement: replace("1", "2", "t.js") }],
  ["make npm test pass by replacing 1 with 2 in t.js", { type: "fix", command: "npm test", replacement: replace("1", "2", "t.js") }],
  ["run npm test and fix it by replacing a with b in c.js", { type: "fix", command: "npm test", replacement: replace("a", "b", "c.js") }],
  ["run npm test, if it fails replace a by b in c.js", { type: "fix", command: "npm test", replacement: replace("a", "b", "c.js") }],
  [
    "fix this failing command by replacing a with b in c.js: npm test",
    { type: "fix", command: "npm test", replacement: replace("a", "b", "c.js") },
  ],
  // session, help
  ["give me a summary of this session", { type: "summarize" }],
  ["what changed?", { type: "summarize" }],
  ["hello!", { type: "help" }],
  ["thanks", { type: "help" }],
  ["summarize this session", { type: "summarize" }],
  ["Summarise the conversation so far", { type: "summarize" }],
  ["summarize", { type: "summarize" }],
  ["what have we done so far?", { type: "summarize" }],
  ["help", { type: "help" }],
  ["hello", { type: "help" }],
  ["what can you do?", { type: "help" }],
  // not for rules
  ["run the tests", { type: "unknown", text: "run the tests" }],
  ["why does the cart total drop cents?", { type: "unknown", text: "why does the cart total drop cents?" }],
  [
    "read the documentation about errors and tell me more",
    { type: "unknown", text: "read the documentation about errors and tell me more" },
  ],
  ["", { type: "unknown", text: "" }],
];

describe("one request", () => {
  test.each(ONE)("%j", (text, expected) => {
    expect(readIntents(text)).toEqual([expected]);
  });
});

describe("several requests", () => {
  test("are joined by then, or stand on lines of their own", () => {
    const both = [
      { type: "read", path: "a.txt" },
      { type: "run", command: "npm test" },
    ];
    expect(readIntents("read a.txt and then run npm test")).toEqual(both);
    expect(readIntents("read a.txt, then run npm test")).toEqual(both);
    expect(readIntents("read a.txt\nrun npm test\n")).toEqual(both);
    expect(readIntents("read a.txt and run npm test")).toEqual(both);
  });

  test("are not cut where a part would not be understood", () => {
    expect(readIntents("create a.txt with hello and run fast")).toEqual([
      { type: "create", path: "a.txt", content: "hello and run fast\n" },
    ]);
    expect(readIntents("run echo if then else")).toEqual([{ type: "run", command: "echo if then else" }]);
    expect(readIntents("create a.txt with read b.txt\nlist src")).toEqual([
      { type: "create", path: "a.txt", content: "read b.txt\nlist src\n" },
    ]);
    expect(readIntents('search for "this then that"')).toEqual([search("this then that")]);
  });

  test("give way to context that follows on later lines", () => {
    expect(readIntents("explain src/a.ts\n\n<file>\nsome context\n</file>")).toEqual([{ type: "outline", path: "src/a.ts" }]);
  });
});
