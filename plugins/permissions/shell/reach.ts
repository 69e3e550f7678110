import type { Word } from "./command-line.js";

/**
 * Options that make a program run or write something else than its subcommand is about: other code, another configuration, another
 * folder, a file of any name. By program, or program and subcommand. A rule whose end is open does not allow them unless it names them.
 */
const BEYOND: Readonly<Record<string, readonly string[]>> = {
  git: words(
    "--output --upload-pack --receive-pack --exec --open-files-in-pager --ext-diff --textconv --exec-path --config-env --git-dir --work-tree",
  ),
  "git grep": words("-O"),
  npm: words("--prefix -C --script-shell --node-options --userconfig --globalconfig --shell"),
  pnpm: words("--dir -C --prefix --script-shell --node-options --config"),
  yarn: words("--cwd --script-shell --use-yarnrc"),
  bun: words("--cwd --config -c --preload -r --require --env-file"),
  deno: words("--config -c --preload --import-map --allow-all -A --allow-run --allow-write --output"),
  cargo: words("--manifest-path --config --target-dir -Z -C"),
  go: words("--exec --toolexec --vettool --modfile --overlay -C -o"),
  make: words("-f --file --makefile -C --directory -I --include-dir --eval -E"),
  mvn: words("-f --file -s --settings -gs -t"),
  gradle: words("-p --project-dir -b --build-file -c --settings-file -I --init-script --include-build -g"),
  dotnet: words("--output -o --settings -s --logger"),
  swift: words("--package-path --chdir -C"),
  zig: words("--build-file --prefix"),
  uv: words("--project --directory --config-file"),
  poetry: words("-C --directory -P --project"),
  pip: words("--log --target --python --config-settings"),
  kubectl: words("--kubeconfig --server -s"),
  terraform: words("--chdir --out"),
  eslint: words("-c --config --rulesdir --plugin --parser --resolve-plugins-relative-to -o --output-file --fix -f --format"),
  prettier: words("--config --plugin --write -w"),
  tsc: words("-p --project -b --build --outdir --outfile --declarationdir --tsbuildinfofile --generatetrace --generatecpuprofile --init"),
  vitest: words("-c --config --root -r --dir --globalsetup --outputfile"),
  jest: words("-c --config --rootdir --globalsetup --setupfiles --runner --testrunner --outputfile --coveragedirectory"),
  mocha: words("--config --package -r --require --import --file -R --reporter"),
  pytest: words("-c --config-file -p --rootdir --confcutdir -o --override-ini --junitxml --junit-xml --basetemp"),
  ruff: words("--config --fix --output-file -o"),
  mypy: words("--config-file --python-executable --install-types"),
  rubocop: words("-r --require -c --config -a -A --autocorrect --autocorrect-all -o --out"),
  rspec: words("-r --require -I -O --options -o --out"),
  phpunit: words("-c --configuration --bootstrap --include-path --extension"),
  tree: words("-o --output"),
};

function words(text: string): readonly string[] {
  return text.split(" ");
}

/** Whether words of a command do more than an open rule of this text can mean. */
export function reachesBeyond(command: readonly Word[], pattern: string): boolean {
  const [program = "", ...rest] = command.map(({ text }) => text);
  const options = [...own(program), ...own(`${program} ${rest[0] ?? ""}`)];
  if (options.length === 0) return false;
  const named = new Set(pattern.split(" "));
  const end = rest.indexOf("--");
  const given = end === -1 ? rest : rest.slice(0, end);
  return given.some((word) => !named.has(word) && (options.some((option) => isOption(word, option)) || isSetting(program, word)));
}

const own = (name: string): readonly string[] => (Object.hasOwn(BEYOND, name) ? (BEYOND[name] ?? []) : []);

/** `--name`, `--name=value`, a beginning of it that many programs take for it, `-name` of those with one dash; `-n` also with its value. */
function isOption(word: string, option: string): boolean {
  if (!option.startsWith("--")) return word.startsWith(option) && !word.startsWith("--");
  const name = word.replace(/=.*$/su, "").toLowerCase();
  const long = name.startsWith("--") ? name : `-${name}`;
  return /^-[^-]|^--./u.test(name) && (long === option || (name.startsWith("--") && name.length > 4 && option.startsWith(name)));
}

/** `SHELL=…` to make, which runs it. */
const isSetting = (program: string, word: string): boolean => program === "make" && /^[A-Za-z_.]+[:+?!]*=/u.test(word);
