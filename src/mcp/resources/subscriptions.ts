import type { Clock } from "../../base/index.js";
import { addressIn, isOfFolder, type ResourcePorts } from "./resources.js";
import { resourceNotFound } from "../failure.js";

/** Records of one moment are told together. */
const SETTLE_MS = 100;

export interface SubscriptionPorts extends ResourcePorts {
  readonly clock: Clock;
  readonly notify: (uri: string) => void;
}

/** Sessions a client wants to hear of when they grow, whoever writes them. */
export class Subscriptions {
  readonly #ports: SubscriptionPorts;
  readonly #watched = new Map<string, AbortController>();

  constructor(ports: SubscriptionPorts) {
    this.#ports = ports;
  }

  async add(uri: string, signal: AbortSignal): Promise<void> {
    const address = addressIn(uri);
    if (address === undefined || !(await isOfFolder(this.#ports, address.id, signal))) throw resourceNotFound(uri);
    if (this.#watched.has(uri)) return;
    const controller = new AbortController();
    this.#watched.set(uri, controller);
    const forget = (): void => {
      if (this.#watched.get(uri) === controller) this.#watched.delete(uri);
    };
    this.#watch(uri, address.id, controller.signal).then(forget, forget);
  }

  remove(uri: string): void {
    this.#watched.get(uri)?.abort();
    this.#watched.delete(uri);
  }

  close(): void {
    for (const uri of [...this.#watched.keys()]) this.remove(uri);
  }

  /** Records that were there when it was asked for are no news. */
  async #watch(uri: string, id: Parameters<ResourcePorts["inspection"]["entries"]>[0], signal: AbortSignal): Promise<void> {
    const { clock, inspection, notify } = this.#ports;
    const since = clock.now();
    let isTelling = false;
    for await (const entry of inspection.entries(id, { follow: true, signal })) {
      if (signal.aborted || !entry.ok) return;
      if (entry.value.time < since || isTelling) continue;
      isTelling = true;
      clock.sleep(SETTLE_MS, signal).then(
        () => {
          isTelling = false;
          if (!signal.aborted) notify(uri);
        },
        () => undefined,
      );
    }
  }
}
