import { Command, CommanderError, Option } from "commander";
import { closest, err, ok, type Result } from "../base/index.js";
import type { Diagnostic } from "../schema/index.js";
import { type CommandDeclaration, type CommandId, COMMANDS, isRunnable, type RunnableId } from "./command-table.js";
import {
  missingArgument,
  missingCommand,
  missingValue,
  misplacedFlag,
  tooManyArguments,
  unknownCommand,
  unknownFlag,
} from "./diagnostics.js";
import type { Flag } from "./flags.js";
import { HELP_COLUMNS } from "./output/width.js";

/** One flag as given; the value is absent for a switch and for an optional value that was left out. */
export interface GivenFlag {
  readonly name: string;
  readonly value?: string;
  /** Stood before the name of the command. */
  readonly early?: true;
}

/** A word that is no flag. `literal` ones stood after `--` and mean nothing but themselves. */
export interface LineWord {
  readonly text: string;
  readonly literal: boolean;
}

/** A command line taken apart by the declarations and by nothing else. */
export type ParsedLine =
  | { readonly type: "help"; readonly text: string }
  | { readonly type: "version" }
  | { readonly type: "command"; readonly id: RunnableId; readonly flags: readonly GivenFlag[]; readonly words: readonly LineWord[] };

interface Parsing {
  readonly flags: GivenFlag[];
  help: string;
  result: { readonly id: RunnableId; readonly operands: readonly string[] } | undefined;
}

/** Takes the words after the program's name apart. Runs nothing. `columns` is the width help is wrapped to. */
export function parseLine(argv: readonly string[], columns: number | undefined): Result<ParsedLine, Diagnostic> {
  const parsing: Parsing = { flags: [], help: "", result: undefined };
  const program = buildProgram(parsing, columns, argv);
  const line = hideLiterals(argv);
  try {
    program.parse([...line], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return ok({ type: "help", text: parsing.help });
    if (error.code === "commander.version") return ok({ type: "version" });
    const taken = error.code === "commander.missingArgument" ? giveBack(parsing, commandOf(program, line, "")) : undefined;
    if (taken !== undefined) return ok({ ...taken, words: taken.words.map((word) => showWord(word, argv)) });
    return err(toDiagnostic(error, program, line, argv));
  }
  const { result } = parsing;
  if (result === undefined) return ok({ type: "help", text: parsing.help });
  return ok({ type: "command", id: result.id, flags: parsing.flags, words: result.operands.map((word) => showWord(word, argv)) });
}

interface GivenBack {
  readonly type: "command";
  readonly id: RunnableId;
  readonly flags: readonly GivenFlag[];
  readonly words: readonly string[];
}

/**
 * A flag whose value may be left out takes the next word, also when that is the operand: `get --branch ID`. When the one
 * operand is missing then, the word was meant for it.
 */
function giveBack({ flags }: Parsing, command: Command): GivenBack | undefined {
  const declaration = COMMANDS.find(({ id }) => id === pathOf(command));
  if (declaration === undefined || !isRunnable(declaration.id) || declaration.operands.length !== 1) return undefined;
  const optional = new Set(declaration.flags.filter(({ valueIsOptional }) => valueIsOptional === true).map(({ name }) => name));
  const greedy = flags.findLast(({ name, value }) => optional.has(name) && value !== undefined);
  if (greedy?.value === undefined) return undefined;
  const kept = flags.map((given) => (given === greedy ? { name: given.name } : given));
  return { type: "command", id: declaration.id, flags: kept, words: [greedy.value] };
}

/** Stands for the word at this place of the line. No word of a person's can be equal: arguments hold no zero bytes. */
const placeholder = (index: number): string => `\0${String(index)}`;

const VALUE_FLAGS: ReadonlySet<string> = new Set(
  COMMANDS.flatMap(({ flags }) => flags)
    .filter(({ value, valueIsOptional }) => value !== undefined && valueIsOptional !== true)
    .map(({ name }) => name),
);

/** Puts placeholders for the words after `--`, where commander would still look for commands. */
function hideLiterals(argv: readonly string[]): readonly string[] {
  const dashes = argv.findIndex((word, index) => word === "--" && !VALUE_FLAGS.has(argv[index - 1] ?? ""));
  return dashes === -1 ? argv : argv.map((word, index) => (index > dashes ? placeholder(index) : word));
}

function showWord(word: string, argv: readonly string[]): LineWord {
  return word.startsWith("\0") ? { text: argv[Number(word.slice(1))] ?? "", literal: true } : { text: word, literal: false };
}

/** All commands by name; of those the line cannot mean, nothing but their names, which is what they are told apart by. */
function buildProgram(parsing: Parsing, columns: number | undefined, argv: readonly string[]): Command {
  const commands = new Map<CommandId, Command>();
  for (const declaration of COMMANDS) {
    const parent = commands.get(parentOf(declaration.id));
    const command = new Command(nameOf(declaration.id));
    // Before anything else: children copy these settings when they are added.
    command.exitOverride().enablePositionalOptions().helpCommand(false).showSuggestionAfterError(false);
    command.configureOutput({
      writeOut: (text) => (parsing.help += text),
      writeErr: () => undefined,
      getOutHelpWidth: () => columns ?? HELP_COLUMNS,
    });
    command.helpOption("-h, --help", "show this help");
    if (isWithin(declaration.id, argv)) declare(command, declaration, parsing);
    commands.set(declaration.id, command);
    parent?.addCommand(command);
  }
  const root = commands.get("interactive") ?? new Command("smith");
  return root.version("-", "-V, --version", "show the version");
}

/** Whether a line can mean a command, or show it in the help of its group. */
function isWithin(id: CommandId, argv: readonly string[]): boolean {
  const [group = id] = id.split(" ");
  return id === "interactive" || argv.includes(group) || argv.some((word) => word === "--help" || /^-[A-Za-z]*h/u.test(word));
}

const parentOf = (id: CommandId): CommandId => COMMANDS.find((one) => id.startsWith(`${one.id} `))?.id ?? "interactive";

const nameOf = (id: CommandId): string => (id === "interactive" ? "smith" : (id.split(" ").at(-1) ?? id));

function declare(command: Command, declaration: CommandDeclaration, parsing: Parsing): void {
  command.description(declaration.summary);
  for (const { notation: form, description } of declaration.operands) command.argument(form, description);
  for (const flag of declaration.flags) {
    command.addOption(new Option(notation(flag), flag.description));
    command.on(`option:${flag.name.slice(2)}`, (value: unknown) => {
      const early = declaration.id === "interactive" ? { early: true as const } : {};
      parsing.flags.push({ name: flag.name, ...(typeof value === "string" ? { value } : {}), ...early });
    });
  }
  for (const note of declaration.notes) command.addHelpText("after", `\n${note}`);
  const { id } = declaration;
  if (!isRunnable(id)) return;
  command.action(() => {
    parsing.result = { id, operands: command.args };
  });
}

function notation(flag: Flag): string {
  const value = flag.value === undefined ? "" : flag.valueIsOptional === true ? ` [${flag.value}]` : ` <${flag.value}>`;
  return `${flag.short === undefined ? "" : `${flag.short}, `}${flag.name}${value}`;
}

/** The command whose turn it was when the line was refused: named by the words before `offending` that are no flags or their values. */
function commandOf(program: Command, argv: readonly string[], offending: string): Command {
  let command = program;
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    if (word === offending || word.startsWith(`${offending}=`)) break;
    if (word.startsWith("-")) {
      const flag = command.options.find(({ long, short }) => long === word || short === word);
      if (flag?.required === true) index += 1;
      continue;
    }
    const child = command.commands.find((candidate) => candidate.name() === word);
    if (child === undefined) break;
    command = child;
  }
  return command;
}

const pathOf = (command: Command): string => (command.parent === null ? "" : `${pathOf(command.parent)} ${command.name()}`.trim());

function toDiagnostic(error: CommanderError, program: Command, line: readonly string[], argv: readonly string[]): Diagnostic {
  // Commander tells the offending word only inside its message, always in single quotes.
  const word = showWord(/'([^']*)'/u.exec(error.message)?.[1] ?? "", argv).text;
  const flag = word.split(/[\s,=]/u)[0] ?? word;
  const isFlag = error.code === "commander.unknownOption";
  const command = commandOf(program, line, isFlag ? flag : "");
  const path = pathOf(command);
  switch (error.code) {
    case "commander.unknownOption":
      return unknownOption(flag, program, command);
    case "commander.unknownCommand":
      return unknownCommand(word, path, suggestCommand(word, command));
    case "commander.missingArgument":
      return missingArgument(word, path);
    case "commander.optionMissingArgument":
      return missingValue(longName(word), path);
    case "commander.excessArguments":
      return tooManyArguments(path);
    default:
      return missingCommand(
        path,
        command.commands.map((child) => pathOf(child)),
      );
  }
}

/** A flag of the interface that another command does not have is known, and of no use there. */
function unknownOption(flag: string, program: Command, command: Command): Diagnostic {
  const suggestion = closest(flag, flagNames(command));
  const isElsewhere = suggestion === undefined && command !== program && program.options.some(({ long }) => long === flag);
  return isElsewhere ? misplacedFlag(flag, pathOf(command)) : unknownFlag(flag, pathOf(command), suggestion);
}

const flagNames = (command: Command): readonly string[] => [
  "--help",
  ...command.options.map(({ long }) => long ?? "").filter((name) => name !== ""),
];

/** `-r, --resume [ID]` as `--resume`. */
const longName = (flags: string): string => /--[a-z-]+/u.exec(flags)?.[0] ?? flags;

function suggestCommand(word: string, command: Command): string | undefined {
  const name = closest(
    word,
    command.commands.map((child) => child.name()),
  );
  return name === undefined ? undefined : `${pathOf(command)} ${name}`.trim();
}
