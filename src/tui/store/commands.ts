import { sent } from "../composer/index.js";
import { chooseModel, chooseThinking } from "./models/index.js";
import { sendChange } from "./outgoing.js";
import { askTrust, chooseTheme, openPlugins } from "./plugins/index.js";
import { MODES, type SlashParse } from "./slash.js";
import { tell } from "./toast.js";
import type { Reduced, Ui } from "./ui.js";

/** Carries out a command of the interface. The draft is taken, but stays when its argument is wrong. */
export function command(ui: Ui, { name, argument }: Extract<SlashParse, { readonly type: "command" }>): Reduced {
  const taken: Ui = { ...ui, draft: sent(ui.draft) };
  switch (name) {
    case "continue":
      return sendChange(ui, "/continue", { type: "resume-work" });
    case "reconcile":
      return reconcile(ui, argument);
    case "help":
      return { ui: { ...taken, overlay: "help", detailTop: 0 }, commands: [] };
    case "mode":
      return mode(ui, argument);
    case "model":
      return argument === "" ? chooseModel(taken, "") : chooseModel(ui, argument);
    case "thinking":
      return argument === "" ? chooseThinking(taken, "") : chooseThinking(ui, argument);
    case "plugins":
      return openPlugins(taken);
    case "trust":
      return askTrust(taken);
    case "theme":
      return chooseTheme(taken, argument);
    case "name":
      return argument === ""
        ? tell(ui, "warning", "/name needs a name: /name tax table import")
        : sendChange(ui, `/name ${argument}`, { type: "rename", name: argument });
    default:
      return { ui: taken, commands: [{ type: "quit", status: 0 }] };
  }
}

function reconcile(ui: Ui, argument: string): Reduced {
  const [, effect, word, note = ""] = /^(\S+)\s+(applied|not-applied)(?:\s+(.*))?$/iu.exec(argument) ?? [];
  const outcome = word?.toLowerCase();
  if (effect === undefined || (outcome !== "applied" && outcome !== "not-applied"))
    return tell(ui, "warning", "/reconcile EFFECT applied, or not-applied, and a note if you like", 10_000);
  return sendChange(ui, `/reconcile ${argument}`, { type: "reconcile", effect, outcome, note });
}

function mode(ui: Ui, argument: string): Reduced {
  const known = MODES.find((each) => each === argument);
  if (known !== undefined) return sendChange(ui, `/mode ${known}`, { type: "set-mode", mode: known });
  if (argument !== "") return tell(ui, "warning", `${argument} is not a mode; there are ${MODES.join(", ")}`);
  const now = ui.status?.mode ?? "not known yet";
  return tell({ ...ui, draft: sent(ui.draft) }, "warning", `mode is ${now}; /mode ${MODES.join("|")} changes it`);
}
