import { type Action, definePlugin, type Handler } from "smith-agent/plugin";
import { permissions } from "./command.js";
import { decide, ruleSet } from "./decide.js";
import { rememberedIn, store, withRules } from "./remembered.js";
import { splitRules } from "./rule.js";

/** Says what the rules say of a call, before anybody is asked. */
export const toolProposed: Handler<"tool-proposed"> = (event, context) => {
  const verdict = decide(event, ruleSet(context.config, rememberedIn(context.values)));
  const { call } = event;
  switch (verdict?.type) {
    case undefined:
      return [];
    case "allow":
      return [{ type: "allow-tool", call }];
    case "deny":
      return [{ type: "deny-tool", call, why: verdict.why }];
    case "ask": {
      const { why, rule } = verdict;
      return [{ type: "ask-tool", call, ...(why === undefined ? {} : { why }), ...(rule === undefined ? {} : { rule }) }];
    }
  }
};

/** Remembers what an answer allowed for longer than this call. */
export const permissionAnswered: Handler<"permission-answered"> = ({ verdict, rule }, context): readonly Action[] => {
  if (verdict !== "session" && verdict !== "project") return [];
  const rules = splitRules(rule);
  if (rules === undefined) return [];
  return [
    store(
      verdict,
      withRules(
        rememberedIn(context.values)[verdict],
        "allow",
        rules.map(({ text }) => text),
      ),
    ),
  ];
};

export default definePlugin({
  commands: { permissions },
  handlers: { "tool-proposed": toolProposed, "permission-answered": permissionAnswered },
});
