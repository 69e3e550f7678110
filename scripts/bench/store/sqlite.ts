import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import type { Entry } from "../../../src/schema/index.js";
import type { Built, Form } from "./form.js";
import { SCREEN } from "./smith.js";
import type { Workload } from "./workload.js";
import { textBytes } from "./workload.js";

/** What is used of better-sqlite3. */
interface Statement {
  run(...values: readonly (string | number | null)[]): unknown;
  get(...values: readonly (string | number)[]): unknown;
  all(...values: readonly (string | number)[]): unknown[];
  iterate(...values: readonly (string | number)[]): Iterable<{ readonly json: string }>;
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  pragma(pragma: string): unknown;
  close(): void;
}

const SCHEMA =
  "create table if not exists entries (seq integer primary key, id text not null unique, parent text, type text not null, json text not null)";
const INSERT = "insert into entries (id, parent, type, json) values (?, ?, ?, ?)";
const CHANGES_A_TRANSACTION = 256;

/** `module`: the folder that the package is installed in. */
export function openDatabase(module: string, path: string): Database {
  const load: unknown = createRequire(`${module}/package.json`)("better-sqlite3");
  // The package has no types of its own.
  const database = new (load as new (path: string) => Database)(path);
  database.pragma("journal_mode = WAL");
  database.exec(SCHEMA);
  return database;
}

/** Adds the entries of one change in one transaction. */
export function createInsert(database: Database): (entries: readonly Entry[]) => void {
  const insert = database.prepare(INSERT);
  return (entries) => {
    for (const entry of entries) insert.run(entry.id, entry.parent ?? null, entry.type, JSON.stringify(entry));
  };
}

/** A database a session, an entry a row as JSON, looked up by id. */
export class SqliteForm implements Form {
  readonly #dir: string;
  readonly #module: string;
  #built = 0;

  constructor(dir: string, module: string) {
    this.#dir = dir;
    this.#module = module;
  }

  build(workload: Workload, entries: number): Promise<Built> {
    const name = `session-${String(this.#built)}`;
    this.#built += 1;
    const built = { name, entries: 0, textBytes: 0 };
    const database = this.#open(name);
    database.pragma("synchronous = OFF");
    const insert = createInsert(database);
    let changes = 0;
    database.exec("begin");
    for (const change of workload(entries)) {
      insert(change.entries);
      built.entries += change.entries.length;
      built.textBytes += textBytes(change);
      changes += 1;
      if (changes % CHANGES_A_TRANSACTION === 0) database.exec("commit; begin");
    }
    database.exec("commit");
    database.close();
    return Promise.resolve(built);
  }

  open(name: string): Promise<number> {
    const database = this.#open(name);
    const rows = database.prepare("select json from entries where parent is not null order by seq desc limit ?").all(SCREEN);
    const entries = rows.map((row) => JSON.parse((row as { readonly json: string }).json) as Entry);
    database.close();
    return Promise.resolve(entries.length);
  }

  ids(name: string, every: number): Promise<readonly string[]> {
    const database = this.#open(name);
    const rows = database.prepare("select id from entries where seq % ? = 0").all(every) as { readonly id: string }[];
    database.close();
    return Promise.resolve(rows.map(({ id }) => id));
  }

  async *get(name: string, ids: readonly string[]): AsyncGenerator<number, void, undefined> {
    const database = this.#open(name);
    const select = database.prepare("select json from entries where id = ?");
    for (const id of ids) {
      const started = performance.now();
      const entry = JSON.parse((select.get(id) as { readonly json: string }).json) as Entry;
      if (entry.id !== id) throw new Error(`${id} was not found`);
      yield performance.now() - started;
    }
    database.close();
    await Promise.resolve();
  }

  list(): Promise<number> {
    let count = 0;
    for (const file of readdirSync(this.#dir).filter((name) => name.endsWith(".db"))) {
      const database = this.#open(file.slice(0, -".db".length));
      const info = database.prepare("select json from entries where type = 'session-info' order by seq limit 1").get();
      const last = database.prepare("select json from entries where type = 'assistant' order by seq desc limit 1").get();
      count += info !== undefined && last !== undefined ? 1 : 0;
      database.close();
    }
    return Promise.resolve(count);
  }

  grep(name: string, pattern: RegExp): Promise<number> {
    const database = this.#open(name);
    let count = 0;
    for (const { json } of database
      .prepare("select json from entries where type <> 'submission' and instr(json, ?) > 0")
      .iterate(literalOf(pattern))) {
      const { text } = JSON.parse(json) as { readonly text?: string };
      for (const line of text?.split("\n") ?? []) count += pattern.test(line) ? 1 : 0;
    }
    database.close();
    return Promise.resolve(count);
  }

  #open(name: string): Database {
    return openDatabase(this.#module, `${this.#dir}/${name}.db`);
  }
}

/** SQLite has no regular expressions of its own: the plain beginning narrows the rows down. */
const literalOf = (pattern: RegExp): string => /^[a-z-]+/u.exec(pattern.source)?.[0] ?? "";
