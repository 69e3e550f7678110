import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCommandLine, spell } from "../../plugins/permissions/shell/command-line.js";
import { commandMatcher, commandsIn, commandsToAllow } from "../../plugins/permissions/shell/commands.js";

const spelled = (line: string): readonly string[] => readCommandLine(line).commands.map(spell);
const isHeld = (pattern: string, line: string): boolean => commandsIn(line)?.some(commandMatcher(pattern)) ?? true;

describe("a command line", () => {
  test.each<[string, readonly string[]]>([
    ["git status", ["git status"]],
    ["  git   status\t-s ", ["git status -s"]],
    ["a && b || c; d | e & f\ng |& h", ["a", "b", "c", "d", "e", "f", "g", "h"]],
    ["a;", ["a"]],
    [`git commit -m "one two"`, ["git commit -m 'one two'"]],
    [`git commit -m 'it'"'"'s'`, [`git commit -m 'it'\\''s'`]],
    [`g"i"t st\\atus`, ["git status"]],
    [`echo "a && b; c"`, ["echo 'a && b; c'"]],
    ["ls *.ts", ["ls *.ts"]],
    ["ls '*.ts'", ["ls '*.ts'"]],
    ["npm test 2>&1 | tail -5", ["npm test", "tail -5"]],
    ["npm test >/dev/null 2>&1", ["npm test"]],
    ["npm test &> /dev/null", ["npm test"]],
    ["npm test > /dev/null && ls", ["npm test", "ls"]],
    ["git show HEAD~1:a#b", ["git show HEAD~1:a#b"]],
    ["git \\\nstatus", ["git status"]],
    ["echo ''", ["echo ''"]],
  ])("%j is understood", (line, commands) => {
    expect({ commands: spelled(line), isComplex: readCommandLine(line).isComplex }).toEqual({ commands, isComplex: false });
  });

  test.each([
    "echo $(rm -rf x)",
    "echo `rm -rf x`",
    `echo "$(rm -rf x)"`,
    'echo "`rm`"',
    "git $X",
    `git "$X"`,
    "(rm x)",
    "{ rm x; }",
    "git {status,push}",
    "echo x > file",
    "echo x >> file",
    "echo x 2>file",
    "cat < file",
    "cat <<EOF\nx\nEOF",
    "diff <(a) <(b)",
    "npm test >&out",
    "npm test > /dev/nullx",
    "npm test >/dev/null/../../etc/x",
    "LD_PRELOAD=x git status",
    "X+=y git status",
    "if true; then rm x; fi",
    "! git status",
    "git status # comment",
    "gi? status",
    "~/bin/x",
    `"" x`,
    "git status \\",
    "echo 'open",
    'echo "open',
    "git status\r",
    "git \u0000status",
    "echo $'a'",
    "time rm x",
    "[[ -f x ]] && rm x",
  ])("%j is complex", (line) => {
    expect(readCommandLine(line).isComplex).toBe(true);
  });

  test("that is made of words and understood spells to a line that is read the same", () => {
    const word = fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom("a", "b", " ", "'", '"', "\\", "*", "$", ";", "-", "é") });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const line = spell([{ text: "run", isQuoted: false }, ...words.map((text) => ({ text, isQuoted: true }))]);
        const read = readCommandLine(line);
        expect(read.isComplex).toBe(false);
        expect(read.commands).toHaveLength(1);
        expect(read.commands[0]?.map(({ text }) => text)).toEqual(["run", ...words]);
      }),
    );
  });

  test("of any text is read without failing, and never to an empty command", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab '\"\\$`;&|<>(){}#!=\n\t*?/0".split("")), maxLength: 40 }), (line) => {
        for (const words of readCommandLine(line).commands) expect(words.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe("what has to be allowed of a line", () => {
  test.each<[string, readonly string[] | undefined]>([
    ["npm test && git push", ["npm test", "git push"]],
    ["cd packages/a && npm test", ["npm test"]],
    ["cd packages && cd a && npm test", ["npm test"]],
    ["cd packages && cd ../.. && npm test", ["cd ../..", "npm test"]],
    ["cd .. && npm test", ["cd ..", "npm test"]],
    ["cd /etc && ls", ["cd /etc", "ls"]],
    ["cd /work/a && ls", ["ls"]],
    ["cd - && ls", ["cd -", "ls"]],
    ["cd ~ && ls", ["cd ~", "ls"]],
    ["cd a b && ls", ["cd a b", "ls"]],
    ["cd packages", ["cd packages"]],
    ["npm test > out", undefined],
    ["", undefined],
  ])("%j", (line, left) => {
    expect(commandsToAllow(line, "/work", ".")).toEqual(left);
  });

  test("a line that is run outside of the workspace cannot be allowed by its words", () => {
    expect(commandsToAllow("npm test", "/work", "../other")).toBeUndefined();
    expect(commandsToAllow("cd .. && npm test", "/work", "a")).toEqual(["npm test"]);
  });
});

describe("a pattern for commands", () => {
  test.each<[string, string, boolean]>([
    ["git status", "git status", true],
    ["git status", "git status -s", false],
    ["git status *", "git status", true],
    ["git status *", "git status -s", true],
    ["git status *", "git statusx", false],
    ["git status*", "git statusx", true],
    ["git * main", "git push origin main", true],
    ["*", "anything at all", true],
    ["ls \\*.ts", "ls *.ts", true],
    ["ls \\*.ts", "ls a.ts", false],
    ["git pus? *", "git push x", true],
    ["*a?c*", "xxabxaxcx", true],
    ["*a?c", "abcabd", false],
    ["a*a", "a", false],
    ["?", "", false],
  ])("%j against %j: %s", (pattern, command, matches) => {
    expect(commandMatcher(pattern)(command)).toBe(matches);
  });

  test("takes time in proportion to the text, whatever it is", () => {
    const text = "a".repeat(20_000);
    expect(commandMatcher(`${"*a".repeat(50)}*b`)(text)).toBe(false);
  });
});

describe("a rule that denies a command finds it", () => {
  test.each([
    "rm -rf x",
    "ls && rm -rf x",
    "ls; rm -rf x &",
    "ls\nrm -rf x",
    "/bin/rm -rf x",
    "\\rm -rf x",
    `r"m" -rf x`,
    "FOO=1 rm -rf x",
    "sudo rm -rf x",
    "sudo -n env A=b nice -n 5 rm -rf x",
    "xargs rm -rf x",
    "find . -exec rm -rf x +",
    `sh -c "rm -rf x"`,
    `bash -lc 'ls; rm -rf x'`,
    `sudo sh -c "sh -c 'rm -rf x'"`,
    `eval "rm -rf x"`,
    "echo $(rm -rf x)",
    "echo `rm -rf x`",
    `echo "$(rm -rf x)"`,
    "(rm -rf x)",
    "{ rm -rf x; }",
    "if true; then rm -rf x; fi",
    "ls > out; rm -rf x",
    "ls 2>/dev/null || rm -rf x >log",
    "! rm -rf x",
  ])("in %j", (line) => {
    expect(isHeld("rm *", line)).toBe(true);
  });

  test.each(["ls", "echo rm", `git commit -m "rm -rf x"`, "rmdir x", "npm run rm"])("but not in %j", (line) => {
    expect(isHeld("rm *", line)).toBe(false);
  });

  test("in a line that is too long to look through, too", () => {
    expect(isHeld("rm *", Array.from({ length: 5_000 }, (_, index) => `echo ${index}`).join(";"))).toBe(true);
  });
});
