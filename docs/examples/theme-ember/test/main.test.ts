import { test } from "smith-agent/plugin";
import plugin from "../src/main.js";

test("colours and keys run no code", (t) => {
  t.equal(Object.keys(plugin), []);
});
