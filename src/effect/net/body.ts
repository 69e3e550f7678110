import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { finished } from "node:stream";
import { err, ok, type Result } from "../../base/index.js";
import { createRedactor } from "../secrets/index.js";
import { NET_BOUNDS } from "./request.js";

export interface BodyWish {
  readonly maxBytes: number;
  readonly as: "text" | "base64";
  /** False for an answer to HEAD and for states that have none. */
  readonly hasBody: boolean;
  /** Taken out of what came back. */
  readonly secrets: readonly string[];
}

export interface ReadBody {
  readonly body: string;
  /** Bytes left out. Counted as far as the body was read, or as its declared length says. */
  readonly omittedBytes: number;
}

/**
 * Reads a body to its end, keeping its beginning. Packed bodies are unpacked as they come, and bounded unpacked; reading ends at
 * `NET_BOUNDS.readBytes`, and earlier when the declared length says how much is left out. The error is in words.
 */
export async function readBody(res: IncomingMessage, wish: BodyWish): Promise<Result<ReadBody, string>> {
  if (!wish.hasBody) {
    res.destroy();
    return ok({ body: "", omittedBytes: 0 });
  }
  const kept = createKept(wish);
  const declared = declaredLength(res);
  try {
    const unpacked = await unpack(res);
    if (unpacked === undefined) return err(`its encoding ${JSON.stringify(res.headers["content-encoding"])} is not known`);
    let read = 0;
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      read += chunk.length;
      kept.push(chunk);
      const isEnough = kept.isFull() && declared !== undefined;
      if (isEnough || read >= NET_BOUNDS.readBytes) break;
    }
    const { bytes, omittedBytes } = kept.end();
    const left = declared === undefined ? 0 : Math.max(0, declared - read);
    return ok({ body: textOf(bytes, res, wish.as, omittedBytes + left > 0), omittedBytes: omittedBytes + left });
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  } finally {
    res.destroy();
  }
}

/** Undefined when it is packed or sent in chunks: then only reading tells. */
function declaredLength(res: IncomingMessage): number | undefined {
  const length = res.headers["content-length"];
  if (length === undefined || res.headers["content-encoding"] !== undefined || res.headers["transfer-encoding"] !== undefined)
    return undefined;
  return /^\d{1,15}$/u.test(length) ? Number(length) : undefined;
}

/** The body without its packing; undefined when that is not known. */
async function unpack(res: IncomingMessage): Promise<Readable | undefined> {
  const encoding = (res.headers["content-encoding"] ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return res;
  const zlib = await import("node:zlib");
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return through(res, zlib.createGunzip());
    case "br":
      return through(res, zlib.createBrotliDecompress());
    case "deflate": {
      const head = await firstByte(res);
      // Some servers leave the zlib frame out.
      return through(res, head !== undefined && (head & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw());
    }
    default:
      return undefined;
  }
}

/** A body that breaks off breaks its unpacking. */
function through(res: IncomingMessage, unpacking: NodeJS.ReadWriteStream & Readable): Readable {
  finished(res, (error) => {
    if (error !== undefined && error !== null) unpacking.destroy(error);
  });
  unpacking.once("close", () => res.destroy());
  return res.pipe(unpacking);
}

async function firstByte(res: IncomingMessage): Promise<number | undefined> {
  while (!res.readableEnded && !res.destroyed) {
    const chunk = res.read() as Buffer | null;
    if (chunk !== null) {
      res.unshift(chunk);
      return chunk[0];
    }
    await new Promise<void>((resolve) => {
      const go = (): void => {
        res.off("readable", go).off("end", go).off("close", go);
        resolve();
      };
      res.on("readable", go).on("end", go).on("close", go);
    });
  }
  return undefined;
}

interface Kept {
  push(chunk: Buffer): void;
  isFull(): boolean;
  end(): { readonly bytes: Buffer; readonly omittedBytes: number };
}

/** The beginning of a stream with the secrets taken out of it, as bytes; the rest is counted. */
function createKept({ maxBytes, secrets }: BodyWish): Kept {
  const redactor = createRedactor(secrets.map((value) => Buffer.from(value, "utf8").toString("latin1")));
  const pieces: Buffer[] = [];
  let size = 0;
  let omittedBytes = 0;
  const add = (chunk: Buffer): void => {
    const fitting = chunk.subarray(0, maxBytes - size);
    if (fitting.length > 0) pieces.push(fitting);
    size += fitting.length;
    omittedBytes += chunk.length - fitting.length;
  };
  return {
    push: (chunk) => {
      add(secrets.length === 0 ? chunk : Buffer.from(redactor.push(chunk.toString("latin1")), "latin1"));
    },
    isFull: () => size >= maxBytes,
    end: () => {
      add(Buffer.from(redactor.end(), "latin1"));
      return { bytes: Buffer.concat(pieces), omittedBytes };
    },
  };
}

function textOf(bytes: Buffer, res: IncomingMessage, as: BodyWish["as"], isCut: boolean): string {
  if (as === "base64") return bytes.toString("base64");
  const decoder = decoderFor(charsetOf(bytes, res.headers["content-type"] ?? ""));
  // As a stream always: some versions of Node read windows-1252 in one piece as if it were latin-1, without quotes and euros.
  const text = decoder.decode(bytes, { stream: true });
  // A character that the bound cuts in two is left out; one the server sent broken is shown as such.
  return isCut ? text : text + decoder.decode();
}

/** A mark at the beginning says it for sure, then the header, then what a page says of itself (WHATWG HTML, 13.2.3.2). */
function charsetOf(bytes: Buffer, contentType: string): string {
  const mark = bytes.toString("hex", 0, 3);
  if (mark.startsWith("fffe")) return "utf-16le";
  if (mark.startsWith("feff")) return "utf-16be";
  if (mark === "efbbbf") return "utf-8";
  const given = /charset\s*=\s*["']?([\w.:-]+)/iu.exec(contentType)?.[1];
  if (given !== undefined || !/html|xml/iu.test(contentType)) return given ?? "utf-8";
  const head = bytes.toString("latin1", 0, 2_048);
  return (
    /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w:.-]{1,40})/iu.exec(head)?.[1] ??
    /<\?xml[^>]{0,100}encoding\s*=\s*["']([\w:.-]{1,40})/iu.exec(head)?.[1] ??
    "utf-8"
  );
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // A name nobody knows.
    return new TextDecoder();
  }
}
