/**
 * `npm run bench -- store [--runs N] [--only open,list] [--entries N] [--sessions N] [--json FILE] [--check]`: the session store
 * beside the same workload as JSONL and in SQLite. Everything is built in a temporary folder and every measurement is a
 * process of its own, subjects interleaved.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { encodeEntries } from "../encode.mjs";
import { median } from "../measure.mjs";
import { judgeStore, printStore } from "./report.mjs";

const SMALL_SHARE = 100;
const NEEDLE = "xylophone-needle";
const PATTERNS = { literal: NEEDLE, regex: "xylophone-[a-z]+ [0-9]+" };
const LOOKUPS = 300;
const APPENDS = 300;

/** The tasks, bundled as the program is. Packages with native parts are found through a link. */
async function bundle(root, home) {
  symlinkSync(join(root, "node_modules"), join(home, "node_modules"));
  const outfile = join(home, "task.mjs");
  await build({
    absWorkingDir: root,
    stdin: {
      contents:
        `import { runTask } from "./scripts/bench/store/task.ts";` +
        `console.log(JSON.stringify(await runTask(JSON.parse(process.argv[2]), { now: Date.now })));`,
      resolveDir: root,
    },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minify: true,
    external: ["fs-native-extensions"],
    outfile,
    logLevel: "error",
  });
  return outfile;
}

/** Folder with better-sqlite3, or why there is none. It is no dependency of anything but this comparison. */
function installSqlite(home) {
  const folder = join(home, "sqlite");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  try {
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--no-save", "better-sqlite3@12"], {
      cwd: folder,
      stdio: "pipe",
      timeout: 300_000,
    });
    return { folder };
  } catch (error) {
    return {
      why: String(error.stderr ?? error.message)
        .trim()
        .split("\n")
        .slice(-1)[0],
    };
  }
}

class Bench {
  constructor(home, outfile, options, sqlite) {
    Object.assign(this, { home, outfile, options, sqlite });
    this.forms = ["smith", "jsonl", ...(sqlite.folder === undefined ? [] : ["sqlite"])];
    this.records = {};
  }

  run(task) {
    const full = { ...task, ...(this.sqlite.folder === undefined ? {} : { module: this.sqlite.folder }) };
    const env = { PATH: process.env.PATH, HOME: this.home };
    return JSON.parse(execFileSync(process.execPath, [this.outfile, JSON.stringify(full)], { encoding: "utf8", env, maxBuffer: 64e6 }));
  }

  keep(name, subject, values) {
    ((this.records[name] ??= {})[subject] ??= []).push(values);
  }

  folder(form, what) {
    const dir = join(this.home, `${form}-${what}`);
    mkdirSync(dir, { recursive: true });
    return dir;
  }

  /** Builds what is not there yet. */
  session(form, what, count) {
    this.built ??= {};
    const key = `${form}-${what}`;
    const dir = this.folder(form, what);
    this.built[key] ??= { dir, form, ...this.run({ type: "build", form, dir, count }).result };
    return this.built[key];
  }

  big(form) {
    return this.session(form, "big", this.options.entries);
  }

  small(form) {
    return this.session(form, "small", Math.ceil(this.options.entries / SMALL_SHARE));
  }

  each(times, subjects) {
    for (let index = 0; index < times; index++) for (const subject of subjects) subject();
  }
}

const pathOf = ({ form, dir, name }) => join(dir, `${name}.${{ smith: "smith", jsonl: "jsonl", sqlite: "db" }[form]}`);

const cases = {
  encode(bench) {
    bench.keep("encode", "smith", bench.encoded);
  },
  append(bench) {
    const { result } = bench.run({ type: "append", form: "smith", dir: bench.folder("all", "append"), count: APPENDS });
    for (const [subject, times] of Object.entries(result)) bench.keep("append", subject, { ms: median(times), minMs: Math.min(...times) });
  },
  open(bench) {
    const sessions = bench.forms.flatMap((form) => [bench.small(form), bench.big(form)]);
    bench.each(
      bench.options.runs,
      sessions.map((session) => () => {
        const megabytes = Math.round(statSync(pathOf(session)).size / 1e6);
        bench.keep("open", `${session.form}, ${megabytes} MB`, bench.run({ type: "open", ...session }));
      }),
    );
    const [small, big] = ["small", "big"].map((size) => Math.round(statSync(pathOf(bench[size]("smith"))).size / 1e6));
    bench.sizes = { small: `smith, ${small} MB`, big: `smith, ${big} MB` };
  },
  get(bench) {
    for (const form of bench.forms) {
      const times = bench.run({ type: "get", ...bench.big(form), count: LOOKUPS }).result.sort((left, right) => left - right);
      bench.keep("get", form, { p50Ms: median(times), p95Ms: times[Math.floor(times.length * 0.95)] });
    }
  },
  list(bench) {
    const count = bench.options.sessions;
    for (const form of bench.forms) bench.run({ type: "build-many", form, dir: bench.folder(form, "many"), count });
    const list = (form, detail) => () => {
      const done = bench.run({ type: "list", form, dir: bench.folder(form, "many"), detail });
      if (done.result !== count) throw new Error(`${form} listed ${done.result} of ${count} sessions`);
      bench.keep("list", form === "smith" ? `smith, ${detail}` : form, done);
    };
    bench.each(bench.options.runs, [
      list("smith", "header"),
      list("smith", "summary"),
      ...bench.forms.slice(1).map((form) => list(form, "summary")),
    ]);
  },
  grep(bench) {
    const { textBytes } = bench.big("smith");
    for (const [kind, pattern] of Object.entries(PATTERNS)) {
      const node = bench.forms.map((form) => () => {
        const done = bench.run({ type: "grep", ...bench.big(form), pattern });
        bench.keep(`grep, ${kind}`, form, { ...done, mbPerS: textBytes / 1e3 / done.ms, lines: done.result });
      });
      const flag = kind === "literal" ? "-F" : "-E";
      const program = (name, argv) => () => {
        const started = performance.now();
        const { status, error } = spawnSync(name, [...argv, pattern, pathOf(bench.big("jsonl"))], {
          env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" },
        });
        const ms = performance.now() - started;
        if (error === undefined && status === 0) bench.keep(`grep, ${kind}`, `${name} on the JSONL`, { ms, mbPerS: textBytes / 1e3 / ms });
      };
      bench.each(bench.options.runs, [
        ...node,
        program("grep", [flag, "-c"]),
        program("rg", [...(kind === "literal" ? ["-F"] : []), "-c"]),
      ]);
    }
  },
  verify(bench) {
    const megabytes = statSync(pathOf(bench.big("smith"))).size / 1e6;
    bench.each(bench.options.runs, [
      () => {
        const done = bench.run({ type: "verify", ...bench.big("smith") });
        bench.keep("verify", "smith", { ...done, mbPerS: (megabytes * 1000) / done.ms });
      },
    ]);
  },
  fork(bench) {
    bench.each(bench.options.runs, [() => bench.keep("fork", "smith", bench.run({ type: "fork", ...bench.big("smith") }))]);
  },
};

function mediansOf(records) {
  const numbers = (list) => Object.keys(list[0]).filter((key) => typeof list[0][key] === "number");
  const perSubject = (list) => Object.fromEntries(numbers(list).map((key) => [key, median(list.map((one) => one[key]))]));
  const perCase = (subjects) => Object.fromEntries(Object.entries(subjects).map(([subject, list]) => [subject, perSubject(list)]));
  return Object.fromEntries(Object.entries(records).map(([name, subjects]) => [name, perCase(subjects)]));
}

/** True when every target was met. */
export async function benchStore(root, given) {
  const options = { ...given, runs: Number(given.runs), entries: Number(given.entries), sessions: Number(given.sessions) };
  const home = mkdtempSync(join(tmpdir(), "smith-bench-store-"));
  try {
    const wanted = options.only?.split(",") ?? Object.keys(cases);
    const outfile = await bundle(root, home);
    const sqlite = installSqlite(home);
    const bench = new Bench(home, outfile, options, sqlite);
    if (wanted.includes("encode")) bench.encoded = await encodeEntries(root, home);
    for (const [name, measure] of Object.entries(cases)) if (wanted.includes(name)) measure(bench);
    const medians = mediansOf(bench.records);
    const verdicts = judgeStore(medians, bench.sizes ?? {});
    const machine = `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, medians of ${options.runs}`;
    printStore({ machine, medians, verdicts, sqlite });
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ node: process.version, medians, verdicts }, null, 2)}\n`);
    return verdicts.every(([, , value, limit, isAtLeast]) => value === undefined || (isAtLeast ? value >= limit : value <= limit));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
