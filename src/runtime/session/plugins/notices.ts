import type { Clock, IdSource, InvocationId } from "../../../base/index.js";
import type { Speaker } from "../../../plugin/index.js";
import type { ActionsEntry } from "../../../schema/index.js";
import type { Notice } from "../effects/index.js";
import type { SessionFile } from "../file/index.js";
import { recoverable } from "../refusal.js";
import type { Narrator } from "../view/index.js";

export interface NoticePorts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly file: SessionFile;
  /** Makes the session's file when there is none. */
  readonly begin: () => Promise<unknown>;
  readonly narrator: Narrator;
  readonly generation: () => number;
}

/** What plugins say while they run: on record like the notices they return, so that whoever reads the session later sees them too. */
export interface Notices {
  readonly say: (notice: Notice, speaker: Speaker, trigger: ActionsEntry["trigger"]) => void;
  settled(): Promise<void>;
}

export function createNotices(ports: NoticePorts): Notices {
  let saying: Promise<unknown> = Promise.resolve();
  return {
    say(notice, speaker, trigger) {
      saying = saying.then(async () => {
        // What cannot be recorded is told all the same: storage has its own way to say that it failed.
        const recorded = await recoverable(async () => {
          await record(ports, { notice, speaker, trigger });
        });
        if (!recorded.ok) ports.narrator.emit({ type: "notice", plugin: speaker.plugin, ...notice });
      });
    },
    settled: async () => {
      await saying;
    },
  };
}

interface Said {
  readonly notice: Notice;
  readonly speaker: Speaker;
  readonly trigger: ActionsEntry["trigger"];
}

async function record(ports: NoticePorts, { notice, speaker: { plugin, cause, work }, trigger }: Said): Promise<void> {
  await ports.begin();
  const entry: ActionsEntry = {
    type: "actions",
    id: ports.ids.next(),
    time: ports.clock.now(),
    trigger,
    generation: ports.generation(),
    // Said by a run of a tool it is on record under the call, which is what an invocation is of handlers and commands.
    accepted: [{ plugin, invocation: cause as InvocationId, action: { type: "notify", ...notice } }],
    refused: [],
    ...(work === undefined ? {} : { work }),
  };
  const ticket = ports.file.commit({ entries: [entry] });
  await ticket.durable;
  ports.narrator.recorded([entry], ticket.position);
}
