import { describe, expect, test } from "vitest";
import type { Generation } from "../../../src/plugin/types.js";
import { Leases } from "../../../src/runtime/session/plugins/leases.js";
import { generation, lease } from "./fixtures.js";

function setup(): { readonly leases: Leases; readonly publish: (number: number) => void; readonly log: string[] } {
  const log: string[] = [];
  let current: Generation = generation(1, []);
  const host = {
    get generation() {
      return current;
    },
    lease: () => {
      const { number } = current;
      log.push(`take ${String(number)}`);
      return lease(current, { release: () => log.push(`give ${String(number)}`) });
    },
  };
  const publish = (number: number): void => {
    current = generation(number, []);
  };
  return { leases: new Leases(host), publish, log };
}

describe("the generation of a round", () => {
  test("stays the same whatever is published, until the next round begins", () => {
    const { leases, publish, log } = setup();
    expect(leases.renew().generation.number).toBe(1);
    publish(2);
    expect([leases.generation().number, leases.share().generation.number]).toEqual([1, 1]);
    expect(leases.renew().generation.number).toBe(2);
    expect(leases.generation().number).toBe(2);
    expect(log).toEqual(["take 1", "take 2"]);
  });

  test("is given back once: when its round is over and nobody beside it uses it any more", () => {
    const { leases, log } = setup();
    leases.renew();
    const beside = leases.share();
    leases.end();
    expect(log).toEqual(["take 1"]);
    beside.release();
    beside.release();
    expect(log).toEqual(["take 1", "give 1"]);
    leases.end();
    expect(log).toEqual(["take 1", "give 1"]);
  });

  test("between rounds it is the current one, for as long as it is used", () => {
    const { leases, publish, log } = setup();
    const first = leases.share();
    publish(2);
    expect([first.generation.number, leases.generation().number]).toEqual([1, 2]);
    first.release();
    expect(log).toEqual(["take 1", "give 1"]);
  });
});
