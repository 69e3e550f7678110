import { describe, expect, test } from "vitest";
import { placeSecrets } from "../../../src/effect/process/secret-words.js";
import type { FoundSecret, SecretVault } from "../../../src/effect/secrets/index.js";
import { NO_VAULT } from "../../../src/effect/secrets/index.js";
import { contextFor } from "../support.js";

const VALUE = "pa ss'\"$(x)";

const vault: SecretVault = {
  ...NO_VAULT,
  fill: (text, replacement) =>
    text.replace(/\{secret:([KP])\}/gu, (reference: string, name: string, at: number) => {
      const found: FoundSecret = { reference, name, text: VALUE, isProvider: name === "P", isUser: true, ownedBy: () => false };
      return replacement(found, at) ?? reference;
    }),
};

const asker = (process: readonly string[], secrets: readonly string[]) => {
  const context = contextFor("/");
  return { ...context, grants: { ...context.grants, process, secrets } };
};
const place = (command: string, process: readonly string[] = ["*"], secrets: readonly string[] = ["*"]) =>
  placeSecrets(command, asker(process, secrets), vault);

describe("a reference in a command line becomes a variable, quoted as its place wants it", () => {
  test.each([
    ["echo {secret:K}", `echo "$SMITH_SECRET_1"`],
    ["A={secret:K}; x", `A="$SMITH_SECRET_1"; x`],
    [`echo "a{secret:K}b"`, `echo "a\${SMITH_SECRET_1}b"`],
    [`echo 'a{secret:K}b'`, `echo 'a'"$SMITH_SECRET_1"'b'`],
    [`echo "$(cat {secret:K})"`, `echo "$(cat "$SMITH_SECRET_1")"`],
    [`echo "it's {secret:K}"`, `echo "it's \${SMITH_SECRET_1}"`],
    [`echo \\" {secret:K}`, `echo \\" "$SMITH_SECRET_1"`],
    [`cat <<< {secret:K}`, `cat <<< "$SMITH_SECRET_1"`],
    [`echo a#b {secret:K} # {secret:P}`, `echo a#b "$SMITH_SECRET_1" # {secret:P}`],
    ["echo {secret:U}", "echo {secret:U}"],
  ])("%s", (command, expected) => {
    const placed = place(command);
    expect(placed).toMatchObject({ ok: true, value: { command: expected } });
    expect(placed.ok && Object.values(placed.value.env).every((value) => value === VALUE)).toBe(true);
  });
});

describe("where the shell would not make exactly the value of it, it is refused", () => {
  test.each([
    ["in a here-document", "cat <<X\n{secret:K}\nX", "secret.misplaced"],
    ["between backticks", "echo `x {secret:K}`", "secret.misplaced"],
    ["in $'…'", "echo $'a{secret:K}'", "secret.misplaced"],
    ["in ${…}", "echo ${A:-{secret:K}}", "secret.misplaced"],
    ["behind a backslash", "echo \\{secret:K}", "secret.misplaced"],
    ["the key of a provider", "echo {secret:P}", "secret.provider-key"],
  ])("%s", (_, command, code) => {
    expect(place(command)).toMatchObject({ ok: false, error: { code } });
  });

  test("without the grant for it, and for a plugin whose commands are checked word by word", () => {
    expect(place("echo {secret:K}", ["*"], [])).toMatchObject({ ok: false, error: { code: "grant.denied" } });
    expect(place("git {secret:K}", ["git"])).toMatchObject({ ok: false, error: { code: "secret.misplaced" } });
  });
});
