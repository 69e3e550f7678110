import type { Screen } from "./screen.js";
import type { TuiOptions, TuiSignal } from "./types.js";

/** What happens to the interface from outside, besides keys and the session's events. */
export interface Surroundings {
  resized(): void;
  /** The terminal is gone. */
  hungUp(): void;
  signalled(signal: TuiSignal): void;
  broke(error: unknown): void;
}

/** Listens to terminal and process. Returns how to stop; that the terminal is gone is heard also after that, when it may still be told. */
export function listen({ output, process }: Pick<TuiOptions, "output" | "process">, screen: Screen, on: Surroundings): () => void {
  const onResize = (): void => {
    // Terminals cut, move and rewrap on their own, also when the size came back to what it was.
    screen.invalidate();
    on.resized();
  };
  const onDrain = (): void => {
    screen.request("change");
  };
  output.on("resize", onResize);
  output.on("drain", onDrain);
  output.on("error", () => {
    on.hungUp();
  });
  const stops = [
    () => output.off("resize", onResize),
    () => output.off("drain", onDrain),
    process.onExitRestore(() => {
      screen.away();
    }),
    process.onFatal((error) => {
      on.broke(error);
    }),
    process.onSignal((signal) => {
      on.signalled(signal);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
