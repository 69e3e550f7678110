import type { CallId, EntryId } from "../../base/index.js";
import type { Diagnostic, SmithEvent } from "../../schema/index.js";
import { failoverWords } from "../render/index.js";
import { sanitize, sanitizeLine } from "../text/index.js";
import { addTry, spentText, triedText, type Tries } from "./answers.js";
import { type AssistantItem, type ErrorItem, type Item, StreamText, type ToolItem } from "./items.js";
import { endTool, noticeItem, problemItem, unknownEffect, userItem } from "./made.js";

/** Output of a running tool that is kept for display: its end. */
const MAX_PROGRESS = 64 * 1024;

type Event<Type extends SmithEvent["type"]> = Extract<SmithEvent, { readonly type: Type }>;

/**
 * The items of the transcript in order. Each has a number `seq` that never changes: older pages get smaller ones, so an
 * anchor by number holds when they arrive. Applying an event is O(1).
 */
export class TranscriptStore {
  private items: Item[] = [];
  private base = 0;
  private readonly entries = new Set<EntryId>();
  private readonly unknownEffects = new Set<string>();
  private readonly tools = new Map<CallId, ToolItem>();
  private streaming: AssistantItem | undefined;
  /** Of the answer that is waited for. */
  private tries: Tries | undefined;
  /** Rises with every visible change. */
  revision = 0;

  get first(): number {
    return this.base;
  }

  /** One past the newest. */
  get end(): number {
    return this.base + this.items.length;
  }

  at(seq: number): Item | undefined {
    return this.items[seq - this.base];
  }

  get isEmpty(): boolean {
    return this.items.length === 0;
  }

  get runningTools(): number {
    let count = 0;
    for (const tool of this.tools.values()) if (tool.state === "running") count += 1;
    return count;
  }

  /** The `now` of the monotonic clock dates running tools. Events already known by their entry or call id change nothing. */
  apply(event: SmithEvent, now: number): void {
    switch (event.type) {
      case "retry":
      case "failover":
        this.tried(event);
        return;
      case "user":
        this.user(event);
        return;
      case "assistant_start":
        this.closeStream();
        return;
      case "assistant_delta":
      case "thinking_delta":
        this.delta(event.type === "assistant_delta" ? "body" : "thinking", event.text);
        return;
      case "thinking_cleared":
        this.clearThinking();
        return;
      case "assistant":
        this.assistant(event);
        return;
      case "tool_start":
      case "tool_progress":
      case "tool_end":
        this.tool(event, now);
        return;
      case "notice":
        this.add(noticeItem(event));
        return;
      case "mcp":
        if (event.state === "failed" || event.state === "sign-in") this.note(`${event.server}: ${event.message}`, "warning");
        return;
      case "error":
        this.error(event.diagnostic);
        return;
      case "unknown_effect":
        this.unknown(event);
        return;
      case "interrupted":
        this.interrupted();
        return;
      case "run_end":
        this.runEnd(event);
        return;
      case "approval":
      case "approval_settled":
        this.asked(event, now);
        return;
      case "run_start":
      case "queue":
      case "run_metrics":
      case "question":
      case "question_settled":
      case "status":
      case "generation":
      case "model":
        return;
    }
  }

  private user(event: Event<"user">): void {
    if (this.isKnown(event.entry)) return;
    this.closeStream();
    this.add(userItem(event));
  }

  private interrupted(): void {
    this.closeStream();
    this.note("stopped", "warning");
  }

  /** Older history, oldest first, put before everything. */
  prepend(events: readonly SmithEvent[], now: number): void {
    const older = new TranscriptStore();
    for (const event of events) if (!("entry" in event) || !this.entries.has(event.entry)) older.apply(event, now);
    older.closeStream();
    older.settleTools();
    const kept = older.items.filter((item) => item.type !== "tool" || !this.mergeTool(item));
    for (const id of older.entries) this.entries.add(id);
    for (const [call, tool] of older.tools) if (!this.tools.has(call)) this.tools.set(call, tool);
    this.items = [...kept, ...this.items];
    this.base -= kept.length;
    this.revision += 1;
  }

  /** The interface itself has something to say. It is no part of the session. */
  remark(text: string): void {
    this.note(sanitize(text), "warning");
  }

  /** Something went wrong beside the session. */
  problem(diagnostic: Diagnostic): void {
    this.error(diagnostic);
  }

  /** A person's word on an effect that is shown as unknown. */
  reconciled(effect: string, word: "applied" | "not applied"): void {
    for (const item of this.items) {
      if (item.type !== "unknown-effect" || item.effect !== effect) continue;
      item.word = word;
      this.touch(item);
    }
  }

  /** Forgets all of it. Numbers go on: none is used again. */
  clear(): void {
    this.base = this.end;
    this.items = [];
    this.streaming = undefined;
    this.tries = undefined;
    this.entries.clear();
    this.unknownEffects.clear();
    this.tools.clear();
    this.revision += 1;
  }

  /** Tools without an end in what is known as past: they did not run on. */
  settleTools(): void {
    for (const tool of this.tools.values()) {
      if (tool.state !== "running") continue;
      tool.state = "done";
      tool.mutation = "unknown";
      tool.revision += 1;
    }
    this.revision += 1;
  }

  /** The page border fell between start and end of a call. */
  private mergeTool(older: ToolItem): boolean {
    const newer = this.tools.get(older.call);
    if (newer === undefined) return false;
    if (newer.argsSummary === "") {
      newer.argsSummary = older.argsSummary;
      newer.revision += 1;
    }
    return true;
  }

  private isKnown(entry: EntryId): boolean {
    if (this.entries.has(entry)) return true;
    this.entries.add(entry);
    return false;
  }

  private add(item: Item): void {
    this.items.push(item);
    this.revision += 1;
  }

  private touch(item: Item): void {
    item.revision += 1;
    this.revision += 1;
  }

  private stream(): AssistantItem {
    if (this.streaming === undefined) {
      this.tellTries();
      this.streaming = {
        type: "assistant",
        revision: 0,
        entry: undefined,
        body: new StreamText(),
        thinking: new StreamText(),
        settled: false,
      };
      this.add(this.streaming);
    }
    return this.streaming;
  }

  private tried(event: Event<"retry" | "failover">): void {
    this.tries = event.type === "retry" ? addTry(this.tries, event) : undefined;
    if (event.type === "failover") this.note(failoverWords(event, event.time), "warning");
  }

  /** The answer has come: what is kept of the attempts before it stands above it. */
  private tellTries(): void {
    const { tries } = this;
    this.tries = undefined;
    if (tries !== undefined) this.aside(triedText(tries));
  }

  private delta(part: "body" | "thinking", text: string): void {
    if (text === "") return;
    const item = this.stream();
    item[part].push(text);
    this.touch(item);
  }

  private clearThinking(): void {
    if (this.streaming === undefined) return;
    this.streaming.thinking.settle("");
    this.touch(this.streaming);
  }

  /** A stream that got no end of its own (it was retried or cut) stays as it is. */
  private closeStream(): void {
    const item = this.streaming;
    this.streaming = undefined;
    if (item === undefined) return;
    item.body.settle(item.body.text);
    item.thinking.settle(item.thinking.text);
    item.settled = true;
    this.touch(item);
  }

  private assistant(event: Event<"assistant">): void {
    if (this.isKnown(event.entry)) return;
    if (event.error !== undefined || event.stop === "aborted") this.tries = undefined;
    const isBlank = event.text.trim() === "" && (event.thinking ?? "") === "" && this.streaming === undefined;
    if (!isBlank) {
      const item = this.stream();
      item.body.settle(event.text);
      item.thinking.settle(event.thinking ?? item.thinking.text);
      item.entry = event.entry;
      item.settled = true;
      this.touch(item);
    }
    this.streaming = undefined;
    if (event.error !== undefined) this.error(event.error);
  }

  private tool(event: Event<"tool_start" | "tool_progress" | "tool_end">, now: number): void {
    const known = this.tools.get(event.id);
    if (event.type === "tool_progress") {
      if (known === undefined || known.state === "done") return;
      known.progress = (known.progress + sanitize(event.text)).slice(-MAX_PROGRESS);
      this.touch(known);
      return;
    }
    if (event.type === "tool_start" && known !== undefined) return;
    const item = known ?? this.newTool(event.id, event.name, now);
    if (event.type === "tool_start") item.argsSummary = sanitizeLine(event.argsSummary);
    else endTool(item, event);
    this.touch(item);
  }

  private newTool(call: CallId, name: string, now: number): ToolItem {
    const item: ToolItem = {
      type: "tool",
      revision: 0,
      call,
      name: sanitizeLine(name),
      argsSummary: "",
      state: "running",
      isAsked: false,
      startedAt: now,
      progress: "",
      result: "",
      resultSummary: "",
      isError: false,
      mutation: "not-applied",
      durationMs: 0,
      diff: undefined,
      view: undefined,
    };
    this.tools.set(call, item);
    this.add(item);
    return item;
  }

  /** What a person took to answer is no time of the tool. */
  private asked(event: Event<"approval" | "approval_settled">, now: number): void {
    const item = this.tools.get(event.id);
    if (item === undefined) return;
    item.isAsked = event.type === "approval";
    item.startedAt = now;
    this.touch(item);
  }

  private error(diagnostic: Diagnostic): void {
    const last = this.items.at(-1);
    const item = problemItem(diagnostic);
    if (last?.type === "error" && item.type === "error" && isSame(last.diagnostic, item.diagnostic)) return;
    this.add(item);
  }

  /** Told when the session is opened, and again when the first input goes on from there. */
  private unknown(event: Event<"unknown_effect">): void {
    if (this.unknownEffects.has(event.effect)) return;
    this.unknownEffects.add(event.effect);
    this.add(unknownEffect(event));
  }

  private note(text: string, tone: "info" | "warning"): void {
    const last = this.items.at(-1);
    if (last?.type === "note" && last.text === text) return;
    this.add({ type: "note", revision: 0, tone, text });
  }

  /** Of interest to who looks for it, and to nobody else. */
  private aside(text: string): void {
    this.add({ type: "note", revision: 0, tone: "info", text, style: "faint" });
  }

  private runEnd(event: Event<"run_end">): void {
    this.closeStream();
    this.settleTools();
    this.tries = undefined;
    this.outcome(event);
    const spent = spentText(event);
    if (spent !== undefined) this.aside(spent);
  }

  private outcome(event: Event<"run_end">): void {
    if (event.error !== undefined) this.error(event.error);
    else if (event.status === "aborted") this.note("stopped", "warning");
    else if (event.status !== "ok") this.note(`stopped: ${event.reason}`, "warning");
  }
}

const isSame = (left: ErrorItem["diagnostic"], right: ErrorItem["diagnostic"]): boolean =>
  left.code === right.code && left.what === right.what;
