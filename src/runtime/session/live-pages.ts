import type { EffectId } from "../../base/index.js";
import type { QueuedItem, Recovered } from "../../agent/index.js";
import type { SmithEvent, Spend } from "../../schema/index.js";
import { turnInterrupted } from "../diagnostics.js";
import type { Attachment } from "../types.js";
import { type SessionParts, unknownEffectEvents } from "./session-parts.js";
import { type Backlog, type BacklogRequest, type CatchUp, createCatchUp, createDamageNews, readBacklog } from "./view/index.js";

export interface LivePagesPorts {
  readonly parts: SessionParts;
  /** A driver was started: what is open is known to it, and told by it. */
  readonly hasBegun: () => boolean;
  /** What earlier processes used is known, where the file did not say it at once. */
  readonly onCounted: (spend: Spend) => void;
  /** What an earlier process left is known. */
  readonly onRecovered: (name: string | undefined, queue: readonly QueuedItem[]) => void;
}

/** The pages of a live session, each as of an acknowledged change, with what a person has to know at the end of the newest. */
export class LivePages {
  readonly #ports: LivePagesPorts;
  readonly #news: ReturnType<typeof createDamageNews>;
  readonly #shown = new Set<EffectId>();
  readonly #catchUp: CatchUp | undefined;

  constructor(ports: LivePagesPorts) {
    this.#ports = ports;
    this.#news = createDamageNews(ports.parts.id);
    const { file, counting } = ports.parts;
    if (!counting.isCounted) {
      this.#catchUp = createCatchUp({ until: counting.seq, read: async (use) => await file.read(use), onCounted: ports.onCounted });
    }
  }

  async close(): Promise<void> {
    await this.#catchUp?.stop();
  }

  async backlog(request: BacklogRequest): Promise<Backlog> {
    if (request.before === undefined) return pageOf(await this.attach(request));
    const { file } = this.#ports.parts;
    return (await file.read(async (reader) => await readBacklog(reader, request, this.#facts()))) ?? { events: [] };
  }

  /** The boundary is fixed first; the page is of the branch that was selected as of it, whatever is committed meanwhile. */
  async attach({ limit }: { readonly limit: number }): Promise<Attachment> {
    const { file, id } = this.#ports.parts;
    const revision = file.revision();
    if (revision === undefined) return { position: { session: id, epoch: 0, seq: 0 }, events: this.#given() };
    const { leaf, position } = revision;
    const page =
      leaf === undefined ? undefined : await file.read(async (reader) => await readBacklog(reader, { limit, leaf }, this.#facts()));
    const events = [...(page?.events ?? []), ...(await this.#left()), ...this.#lost(), ...this.#given()];
    this.#catchUp?.begin();
    return { position, events, ...(page?.next === undefined ? {} : { next: page.next }) };
  }

  /** What a driver that starts has to tell: what is lost and what was left open, as far as no page showed it. */
  untold(recovered: Recovered | undefined): readonly SmithEvent[] {
    const left = recovered === undefined ? [] : unknownEffectEvents(this.#ports.parts.id, recovered);
    return [...this.#lost(), ...left.filter(({ effect }) => !this.#shown.has(effect))];
  }

  async #left(): Promise<readonly SmithEvent[]> {
    const { parts, hasBegun, onRecovered } = this.#ports;
    if (hasBegun()) return [];
    const recovered = await parts.recovered();
    onRecovered(recovered.name, recovered.queue);
    const effects = unknownEffectEvents(parts.id, recovered);
    for (const { effect } of effects) this.#shown.add(effect);
    if (!recovered.unsettled.some(({ submission, parent }) => submission !== undefined && parent === undefined)) return effects;
    return [...effects, { type: "notice", session: parts.id, time: parts.clock.now(), text: turnInterrupted() }];
  }

  /** What of the file is lost, as far as nobody was told. */
  #lost(): readonly SmithEvent[] {
    const { file, clock } = this.#ports.parts;
    const time = clock.now();
    return [...this.#news.dropped(file.dropped(), time), ...this.#news.spans(file.reader()?.damage() ?? [], time)];
  }

  #given(): readonly SmithEvent[] {
    const { notices, clock, id } = this.#ports.parts;
    return notices.map((notice) => ({ type: "error", session: id, time: clock.now(), diagnostic: notice }));
  }

  #facts(): { readonly session: SessionParts["id"]; readonly tool: SessionParts["toolDefinition"] } {
    return { session: this.#ports.parts.id, tool: this.#ports.parts.toolDefinition };
  }
}

const pageOf = ({ events, next }: Attachment): Backlog => ({ events, ...(next === undefined ? {} : { next }) });
