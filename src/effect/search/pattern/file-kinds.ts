import { closest, err, ok } from "../../../base/index.js";
import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import type { BytePath } from "../../paths/index.js";
import { baseOf } from "../../paths/index.js";
import { unknownKind } from "../failures.js";

/** Kinds of files by name: ends of names (`.ts`) and whole names (`Makefile`), blanks between. */
const KINDS: Readonly<Record<string, string>> = {
  asm: ".asm .s .S",
  bazel: ".bazel .bzl BUILD WORKSPACE",
  c: ".c .h",
  clojure: ".clj .cljc .cljs .edn",
  cmake: ".cmake CMakeLists.txt",
  config: ".conf .cfg .config .ini",
  cpp: ".cpp .cc .cxx .hpp .hh .hxx .h .inl",
  cs: ".cs",
  css: ".css .scss .sass .less",
  csv: ".csv .tsv",
  dart: ".dart",
  docker: ".dockerfile Dockerfile Containerfile",
  elixir: ".ex .exs .eex .heex",
  erlang: ".erl .hrl",
  fsharp: ".fs .fsi .fsx",
  go: ".go",
  graphql: ".graphql .gql",
  haskell: ".hs .lhs",
  html: ".html .htm .xhtml",
  java: ".java",
  js: ".js .mjs .cjs .jsx .vue .svelte",
  json: ".json .jsonc .json5 .jsonl .ndjson .webmanifest",
  julia: ".jl",
  kdl: ".kdl",
  kotlin: ".kt .kts",
  log: ".log",
  lua: ".lua",
  make: ".mk .mak Makefile makefile GNUmakefile",
  md: ".md .markdown .mdx .mkd",
  nix: ".nix",
  nu: ".nu",
  objc: ".m .mm .h",
  ocaml: ".ml .mli",
  perl: ".pl .pm .t",
  php: ".php .phtml",
  proto: ".proto",
  ps: ".ps1 .psm1 .psd1",
  py: ".py .pyi .pyw",
  r: ".r .R .Rmd",
  rst: ".rst",
  ruby: ".rb .rake .gemspec Gemfile Rakefile",
  rust: ".rs",
  scala: ".scala .sbt .sc",
  sh: ".sh .bash .zsh .ksh .fish .bashrc .zshrc .profile",
  sql: ".sql",
  svelte: ".svelte",
  svg: ".svg",
  swift: ".swift",
  terraform: ".tf .tfvars .hcl",
  tex: ".tex .sty .cls .bib",
  toml: ".toml Cargo.lock",
  ts: ".ts .tsx .mts .cts",
  txt: ".txt",
  vim: ".vim .vimrc",
  vue: ".vue",
  xml: ".xml .xsd .xsl .xslt .plist",
  yaml: ".yaml .yml",
  zig: ".zig .zon",
};

/** Other names people and models use. */
const ALIASES: Readonly<Record<string, string>> = {
  bash: "sh",
  "c++": "cpp",
  csharp: "cs",
  dockerfile: "docker",
  golang: "go",
  javascript: "js",
  jsx: "js",
  kt: "kotlin",
  makefile: "make",
  markdown: "md",
  powershell: "ps",
  protobuf: "proto",
  python: "py",
  rb: "ruby",
  rs: "rust",
  scss: "css",
  shell: "sh",
  tf: "terraform",
  text: "txt",
  tsx: "ts",
  typescript: "ts",
  yml: "yaml",
};

/** Whether a file is of the kind; by its name alone, case told apart. */
export function compileKind(asked: string): Result<(path: BytePath) => boolean, Diagnostic> {
  const name = asked.trim().replace(/^\./u, "").toLowerCase();
  const known = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  const ends = Object.hasOwn(KINDS, known) ? KINDS[known]?.split(" ") : undefined;
  if (ends === undefined)
    return err(unknownKind(asked, Object.keys(KINDS), closest(name, [...Object.keys(KINDS), ...Object.keys(ALIASES)])));
  const suffixes = ends.filter((end) => end.startsWith("."));
  const names = new Set(ends.filter((end) => !end.startsWith(".")));
  return ok((path) => {
    const base = baseOf(path);
    return names.has(base) || suffixes.some((suffix) => base.endsWith(suffix));
  });
}
