import { styleText } from "node:util";
import type { Environment, OutputPort } from "../host.js";

export type Tint = "red" | "yellow" | "cyan" | "bold" | "dim";

/** Colours `text`, or returns it as it is. */
export type Paint = (tint: Tint, text: string) => string;

export const plain: Paint = (_tint, text) => text;

const said = (value: string | undefined): boolean => value !== undefined && value !== "";

/** FORCE_COLOR decides first (0 or false is no), then NO_COLOR, then whether the stream is a terminal that is not dumb. */
export function wantsColour(env: Environment, port: Pick<OutputPort, "isTerminal">): boolean {
  if (said(env["FORCE_COLOR"])) return env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "false";
  return !said(env["NO_COLOR"]) && port.isTerminal && env["TERM"] !== "dumb";
}

export const painter = (env: Environment, port: Pick<OutputPort, "isTerminal">): Paint =>
  wantsColour(env, port) ? (tint, text) => styleText(tint, text, { validateStream: false }) : plain;
