import { cutAt, FRAME_HEADER_BYTES, logicalOf, logicalSize, physicalOf } from "../../codec/index.js";
import type { Anchor, ByteSource } from "../../log/index.js";
import { displacedAnchors, FrameWalk, hasSoundBody, LogicalFile, SEQUENTIAL, shifted } from "../../log/index.js";

/** A damaged file, or what it would be with every byte in its place. */
export interface Image {
  readonly file: ByteSource;
  readonly size: number;
}

/** From `from` on (bytes of the image) everything lies `shift` bytes behind its place. */
interface Segment {
  readonly from: number;
  readonly shift: number;
}

/**
 * The file with every byte at its place again, where bytes were put in or taken out; `undefined` when nothing is displaced. It
 * is followed frame by frame; where that ends, on from the next header that belongs there or later. What lies in between is as
 * damaged as it was. A copy of the file in a payload only has headers that belong before it, and is never taken.
 */
export async function realigned({ file, size }: Image, seed: number): Promise<Image | undefined> {
  const segments: Segment[] = [{ from: 0, shift: 0 }];
  let shift = 0;
  let at = 0;
  for (;;) {
    const reached = await follow(file, seed, { at, shift, size });
    if (reached === undefined) break;
    const next = await nextAnchor(file, seed, { ...reached, shift, size });
    if (next === undefined) break;
    at = next.offset;
    if (next.shift === shift) continue;
    shift = next.shift;
    segments.push({ from: cutAt(at), shift });
  }
  return segments.length === 1 ? undefined : { file: joined(file, segments), size: size - shift };
}

interface Position {
  readonly at: number;
  readonly shift: number;
  readonly size: number;
}

/** Where frames can be followed to from `at`, and where the last of them begins; `undefined` at the end of the file. */
async function follow(file: ByteSource, seed: number, { at, shift, size }: Position) {
  const view = new LogicalFile(shifted(file, shift), seed, SEQUENTIAL);
  const end = logicalSize(size - shift);
  const walk = new FrameWalk(view, at, end);
  let last = at;
  for (;;) {
    const step = walk.peek() ?? (await walk.next());
    if (step === undefined) return undefined;
    if (step.type === "open") return { last: step.frame.offset, least: step.frame.offset };
    if (step.type === "lost") return { last, least: step.from };
    last = step.frame.offset;
  }
}

interface Lost {
  /** Where the last frame begins that could be followed: bytes of it may be gone, so what follows it may lie inside it. */
  readonly last: number;
  /** Where what is looked for belongs at the earliest. */
  readonly least: number;
  readonly shift: number;
  readonly size: number;
}

/** The next frame that belongs at `least` or behind it, wherever it lies. */
async function nextAnchor(file: ByteSource, seed: number, { last, least, shift, size }: Lost) {
  const from = Math.max(0, physicalOf(last) + shift + 1);
  let view = { shift, file: new LogicalFile(shifted(file, shift), seed, SEQUENTIAL) };
  for await (const anchor of displacedAnchors(file, seed, { from, to: size, least })) {
    const offset = offsetOf(anchor);
    if (offset === undefined || offset < least) continue;
    if (view.shift !== anchor.shift) {
      view = { shift: anchor.shift, file: new LogicalFile(shifted(file, anchor.shift), seed, SEQUENTIAL) };
    }
    if (anchor.frame === undefined ? await startsFrame(view.file, offset) : await hasSoundBody(view.file, anchor.frame)) {
      return { offset, shift: anchor.shift };
    }
  }
  return undefined;
}

const startsFrame = async (file: LogicalFile, offset: number): Promise<boolean> =>
  (await new FrameWalk(file, offset, offset + FRAME_HEADER_BYTES).next())?.type !== "lost";

/** Where the frame begins that an anchor leads to, when it leads to one. */
function offsetOf({ frame, block }: Anchor): number | undefined {
  if (block === undefined) return frame?.offset;
  return block.firstFrame === 0 ? undefined : logicalOf(block.block, block.firstFrame);
}

function joined(file: ByteSource, segments: readonly Segment[]): ByteSource {
  const views = segments.map(({ from, shift }, index) => ({
    from,
    to: segments[index + 1]?.from ?? Number.POSITIVE_INFINITY,
    file: shifted(file, shift),
  }));
  return {
    async read(into, position) {
      let done = 0;
      for (const { to, file: view } of views) {
        const at = position + done;
        if (at >= to || done === into.length) continue;
        const wanted = Math.min(into.length - done, to - at);
        const got = await view.read(into.subarray(done, done + wanted), at);
        // Behind the end of the file, bytes of an earlier part are a hole.
        if (got < wanted && to !== Number.POSITIVE_INFINITY) into.fill(0, done + got, done + wanted);
        done += to === Number.POSITIVE_INFINITY ? got : wanted;
      }
      return done;
    },
  };
}
