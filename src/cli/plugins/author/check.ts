import { resolve } from "node:path";
import { plural } from "../../../base/index.js";
import type { Diagnostic, ExitStatus } from "../../../schema/index.js";
import type { CommandContext } from "../../context.js";
import { interruptible, refuse } from "../../output/answers.js";
import { type Paint } from "../../output/colour.js";
import { renderDiagnostic } from "../../output/render-diagnostic.js";
import { jsonLine, visible, visibleLine } from "../../output/visible.js";
import { grantLines } from "../consent.js";
import { checkNeedsFolder } from "../diagnostics.js";
import type { CheckInvocation } from "../invocation.js";
import type { CheckStep } from "../records.js";
import type { Administration } from "../administration.js";

/** Each step as it is done, then the verdict. What is wrong with the package is what was asked for: it is data. */
export async function checkPlugin({ context, admin, prepared }: Administration, { dir, json }: CheckInvocation): Promise<ExitStatus> {
  const { host, out, paint } = context;
  const folder = resolve(prepared.cwd, dir);
  if (!(await host.isDirectory(folder))) return refuse(context, checkNeedsFolder(dir));
  return await interruptible(context, async (signal) => {
    const report = await admin.check(folder, {
      signal: AbortSignal.any([signal, brokenSignal(context)]),
      report: (step) => {
        out.write(json ? jsonLine(step) : textOf(step, paint));
        out.push();
      },
    });
    const { isSound, tests } = report;
    out.write(json ? jsonLine({ type: "report", ...report }) : `${verdict(isSound, tests, paint)}\n`);
    return isSound ? 0 : 1;
  });
}

/** Aborts once nobody reads on. */
function brokenSignal({ out }: Pick<CommandContext, "out">): AbortSignal {
  const controller = new AbortController();
  out.onBroken(() => {
    controller.abort();
  });
  return controller.signal;
}

function textOf(step: CheckStep, paint: Paint): string {
  switch (step.type) {
    case "manifest":
      return `${head("manifest and sources", step.problems, [], paint)}${problemText(step.problems, paint)}`;
    case "module":
      return [
        head("module", step.problems, step.missing, paint),
        ...step.missing.map((name) => `  declared and not exported: ${visibleLine(name)}\n`),
        problemText(step.problems, paint),
      ].join("");
    case "test":
      return testText(step, paint);
    case "grants":
      return step.grants.length === 0
        ? "may do nothing outside of itself\n"
        : `may, once it is installed (! reaches out of a session)\n${grantLines(step.grants)
            .map((line) => `${line}\n`)
            .join("")}`;
  }
}

const isError = ({ severity }: Diagnostic): boolean => severity === "error";

function head(name: string, problems: readonly Diagnostic[], missing: readonly string[], paint: Paint): string {
  const fails = missing.length > 0 || problems.some(isError);
  return `${fails ? paint("red", "✗") : "✓"} ${name}\n`;
}

const problemText = (problems: readonly Diagnostic[], paint: Paint): string =>
  problems.map((problem) => renderDiagnostic(problem, paint).replace(/^(?=.)/gmu, "  ")).join("");

function testText({ file, name, passed, words }: Extract<CheckStep, { readonly type: "test" }>, paint: Paint): string {
  const line = `${passed ? "✓" : paint("red", "✗")} ${visibleLine(name)} ${paint("dim", `(${visibleLine(file)})`)}\n`;
  return passed || words === undefined ? line : `${line}${visible(words).replace(/^(?=.)/gmu, "    ")}\n`;
}

function verdict(isSound: boolean, { passed, failed }: { readonly passed: number; readonly failed: number }, paint: Paint): string {
  const tests = [`${plural(passed, "test")} passed`, ...(failed === 0 ? [] : [`${String(failed)} failed`])].join(", ");
  return isSound ? `sound: ${tests}` : `${paint("red", "not sound")}: ${tests}`;
}
