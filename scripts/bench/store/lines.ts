import { closeSync, createReadStream, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Entry } from "../../../src/schema/index.js";
import type { Built, Form } from "./form.js";
import { SCREEN } from "./smith.js";
import type { Workload } from "./workload.js";
import { textBytes } from "./workload.js";

const BUFFERED = 1024 * 1024;

/** An entry a line, as JSON: what most agents do. Whatever is asked for, every line is parsed. */
export class LinesForm implements Form {
  readonly #dir: string;
  #built = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  pathOf(name: string): string {
    return `${this.#dir}/${name}.jsonl`;
  }

  build(workload: Workload, entries: number): Promise<Built> {
    const name = `session-${String(this.#built)}`;
    this.#built += 1;
    const built = { name, entries: 0, textBytes: 0 };
    const fd = openSync(this.pathOf(name), "w");
    let text = "";
    for (const change of workload(entries)) {
      for (const entry of change.entries) text += `${JSON.stringify(entry)}\n`;
      built.entries += change.entries.length;
      built.textBytes += textBytes(change);
      if (text.length < BUFFERED) continue;
      writeSync(fd, text);
      text = "";
    }
    writeSync(fd, text);
    closeSync(fd);
    return Promise.resolve(built);
  }

  open(name: string): Promise<number> {
    const entries = this.#parse(name);
    const nodes = entries.filter((entry) => "parent" in entry);
    return Promise.resolve(nodes.slice(-SCREEN).length);
  }

  ids(name: string, every: number): Promise<readonly string[]> {
    return Promise.resolve(this.#parse(name).flatMap(({ id }, index) => (index % every === 0 ? [id] : [])));
  }

  async *get(name: string, ids: readonly string[]): AsyncGenerator<number, void, undefined> {
    for (const id of ids.slice(0, 3)) {
      const started = performance.now();
      if (!this.#parse(name).some((entry) => entry.id === id)) throw new Error(`${id} was not found`);
      yield performance.now() - started;
      await Promise.resolve();
    }
  }

  list(): Promise<number> {
    const names = readdirSync(this.#dir).filter((name) => name.endsWith(".jsonl"));
    let count = 0;
    for (const name of names) {
      const entries = this.#parse(name.slice(0, -".jsonl".length));
      count += entries.some(({ type }) => type === "session-info") && entries.findLast(({ type }) => type === "assistant") ? 1 : 0;
    }
    return Promise.resolve(count);
  }

  async grep(name: string, pattern: RegExp): Promise<number> {
    let count = 0;
    for await (const line of createInterface({ input: createReadStream(this.pathOf(name)), crlfDelay: Number.POSITIVE_INFINITY })) {
      // A line of JSON is what is stored here.
      const entry = JSON.parse(line) as Entry;
      if (entry.type !== "submission" && "text" in entry && entry.text !== undefined) {
        for (const text of entry.text.split("\n")) count += pattern.test(text) ? 1 : 0;
      }
    }
    return count;
  }

  #parse(name: string): readonly Entry[] {
    const lines = readFileSync(this.pathOf(name), "utf8").split("\n");
    lines.pop();
    return lines.map((line) => JSON.parse(line) as Entry);
  }
}
