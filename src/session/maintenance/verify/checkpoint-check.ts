import { getU64, viewOf } from "../../bytes/index.js";
import type { Checkpoint } from "../../codec/index.js";
import { CHECKPOINT_PRELUDE_BYTES, ID_BYTES, INDEX_ITEM_BYTES, MAX_RECORDS } from "../../codec/index.js";
import { decodeFold } from "../../live/index.js";
import type { Findings } from "./findings.js";
import type { IdIndex } from "./id-index.js";

/** Checks checkpoints against the records they index. */
export class CheckpointCheck {
  readonly #findings: Findings;
  readonly #ids: IdIndex;
  #newest: number | undefined;

  constructor(findings: Findings, ids: IdIndex) {
    this.#findings = findings;
    this.#ids = ids;
  }

  check(checkpoint: Checkpoint, body: Buffer): void {
    const { frame, previous } = checkpoint;
    const complain = (what: string): void => {
      this.#findings.damaged(`A checkpoint ${what}.`, frame.offset, frame.end);
    };
    if (previous !== this.#newest) complain("gives a wrong distance to the one before it");
    this.#newest = frame.offset;
    if (!this.#pointsRight(checkpoint, body)) complain("points to the wrong place for an entry");
    const state = body.subarray(checkpoint.stateAt, checkpoint.stateAt + checkpoint.stateBytes);
    if (state.length > 0 && decodeFold(state) === undefined) {
      this.#findings.warn("A checkpoint holds live state that this version does not read.", frame.offset, frame.end);
    }
  }

  #pointsRight({ frame, idCount }: Checkpoint, body: Buffer): boolean {
    const view = viewOf(body);
    for (let index = 0; index < idCount; index += 1) {
      const at = CHECKPOINT_PRELUDE_BYTES + index * INDEX_ITEM_BYTES;
      const place = this.#ids.find(body, at);
      const holder = place === undefined ? undefined : Math.floor(place / MAX_RECORDS);
      if (holder !== frame.offset - getU64(view, at + ID_BYTES)) return false;
    }
    return true;
  }
}
