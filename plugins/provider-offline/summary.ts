import type { Message } from "smith-agent/plugin";
import { inline } from "./wording.js";

const MAX_NAMED = 12;
const MAX_WORDS = 100;

type Call = { readonly name: string; readonly args: { readonly [key: string]: unknown }; readonly failed: boolean };

/** What the messages themselves show: what was asked, what was called, which files were changed, which commands ran. */
export function summarize(messages: readonly Message[]): string {
  const asked = messages.flatMap((message) => (message.role === "user" ? [message.text] : [])).slice(0, -1);
  const calls = callsOf(messages);
  if (asked.length === 0 && calls.length === 0) return "Nothing has happened in this session yet.";
  const failures = calls.filter((call) => call.failed).length;
  const changed = unique(
    calls.filter((call) => !call.failed && (call.name === "edit" || call.name === "write")).map((call) => word(call.args["path"])),
  );
  const commands = calls
    .filter((call) => call.name === "shell")
    .map((call) => `${inline(short(word(call.args["command"])))}${call.failed ? " (failed)" : ""}`);
  const parts = [
    `So far in this session: ${count(asked.length, "request")}, ${count(calls.length, "tool call")}${failures === 0 ? "" : `, ${failures} of them failed`}.`,
    section(
      "Asked",
      asked.map((text) => inline(short(text))),
    ),
    section("Tools", tally(calls)),
    section("Files changed", changed.map(inline)),
    section("Commands", commands),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function callsOf(messages: readonly Message[]): readonly Call[] {
  const failed = new Set(messages.flatMap((message) => (message.role === "tool" && message.isError ? [message.call] : [])));
  return messages.flatMap((message) =>
    message.role === "assistant"
      ? message.toolCalls.map((call) => ({ name: call.name, args: call.args ?? {}, failed: failed.has(call.call) }))
      : [],
  );
}

/** The newest ones, in the order they came. */
function section(title: string, items: readonly string[]): string {
  if (items.length === 0) return "";
  const earlier = items.length > MAX_NAMED ? [`- (${items.length - MAX_NAMED} earlier)`] : [];
  return [`${title}:`, ...earlier, ...items.slice(-MAX_NAMED).map((item) => `- ${item}`)].join("\n");
}

function tally(calls: readonly Call[]): readonly string[] {
  const names = unique(calls.map((call) => call.name));
  return names.map((name) => `${inline(name)} ${count(calls.filter((call) => call.name === name).length, "time")}`);
}

const unique = (items: readonly string[]): readonly string[] => [...new Set(items)];
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
const word = (value: unknown): string => (typeof value === "string" ? value : "?");

function short(text: string): string {
  const line = text.trim().replace(/\s+/gu, " ");
  return [...line].length > MAX_WORDS ? `${[...line].slice(0, MAX_WORDS - 1).join("")}…` : line;
}
