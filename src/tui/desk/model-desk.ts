import { type Diagnostic, diagnostic } from "../../schema/index.js";
import { levelsOf, type ModelPort, modelRows } from "../models/index.js";
import type { ModelDeed, ModelNews, UiEvent } from "../store/index.js";

export interface ModelDeskPorts {
  readonly port: ModelPort | undefined;
  readonly dispatch: (event: UiEvent) => void;
  readonly fail: (error: unknown) => void;
}

/** Looks up what there is of models, and keeps a default. */
export class ModelDesk {
  private readonly ports: ModelDeskPorts;

  constructor(ports: ModelDeskPorts) {
    this.ports = ports;
  }

  run(deed: ModelDeed): void {
    this.carryOut(deed).then((news) => {
      this.ports.dispatch({ type: "models", news });
    }, this.ports.fail);
  }

  private async carryOut(deed: ModelDeed): Promise<ModelNews> {
    const { port } = this.ports;
    const view = port?.view();
    if (port === undefined || view === undefined) return { type: "failed", diagnostic: UNAVAILABLE };
    switch (deed.type) {
      case "list":
        return { type: "listed", rows: modelRows(view), preset: port.preset() };
      case "levels":
        return { type: "levels", model: deed.model, levels: levelsOf(view, deed.model) };
      case "keep": {
        const kept = await port.keep(deed.selection);
        if (kept.ok) return { type: "kept", selection: deed.selection, path: kept.value };
        return { type: "failed", diagnostic: kept.error[0] ?? UNAVAILABLE };
      }
    }
  }
}

/** Of an embedder that tells nothing of models. */
const UNAVAILABLE: Diagnostic = diagnostic({
  code: "tui.no-models",
  what: "The models there are cannot be listed here.",
  why: "This interface was started without what knows them.",
  next: "Name one: /model PROVIDER/NAME, or look with smith models list in another terminal.",
});
