import { describe, expect, test } from "vitest";
import { allowedCommand } from "../../plugins/permissions/shell/commands.js";
import { suggestRule } from "../../plugins/permissions/suggest.js";

const allows = (rule: string, command: string): boolean => allowedCommand(rule)(command);
const suggested = (command: string): string | undefined => suggestRule("shell", [{ kind: "command", text: command }], "/work");

describe("a rule with an open end", () => {
  test.each([
    ["git grep *", "git grep --open-files-in-pager=/tmp/x needle"],
    ["git grep *", "git grep -O/tmp/x needle"],
    ["git grep *", "git grep --open=/tmp/x needle"],
    ["git fetch *", "git fetch --upload-pack /tmp/x /tmp/y"],
    ["git diff *", "git diff --output=/home/me/.bashrc"],
    ["git log *", "git log -1 --outp /home/me/.bashrc"],
    ["git show *", "git show --output=.git/hooks/pre-commit"],
    ["npm test *", "npm test --prefix vendor/evil"],
    ["npm run build *", "npm run build --script-shell=/tmp/x"],
    ["cargo test *", "cargo test --config build.rustc-wrapper=x"],
    ["go test *", "go test -exec /tmp/x ./..."],
    ["go vet *", "go vet --vettool=/tmp/x ./..."],
    ["make test *", "make test -f/tmp/evil.mk"],
    ["make test *", "make test SHELL=/tmp/x"],
    ["tsc *", "tsc --outDir /home/me"],
    ["tree *", "tree -o /home/me/.bashrc"],
    ["eslint *", "eslint --rulesdir /tmp/x ."],
    ["pytest *", "pytest -p evil"],
  ])("%s is not about %s", (rule, command) => {
    expect(allows(rule, command)).toBe(false);
  });

  test.each([
    ["git grep *", "git grep -n needle -- src"],
    ["git diff *", "git diff --stat --oneline HEAD~2"],
    ["git log *", "git log --oneline -5 --ours"],
    ["git commit *", "git commit -m 'one --output two'"],
    ["npm test *", "npm test -- --config other"],
    ["make test *", "make test -j4"],
    ["tsc *", "tsc --noEmit"],
    ["cat *", "cat a -o b"],
    ["make -f own.mk *", "make -f own.mk all"],
    ["*", "git diff --output=x"],
  ])("%s is about %s", (rule, command) => {
    expect(allows(rule, command)).toBe(true);
  });

  test("is not offered for a command that goes beyond it", () => {
    expect(suggested("git diff HEAD")).toBe("shell(git diff *)");
    expect(suggested("git diff --output=x")).toBe("shell(git diff --output=x)");
  });
});
