/** What the host delivers to the guest's dispatcher. Numbers, because they are all that crosses besides JSON text. */
export const DELIVERY = {
  load: 0,
  tool: 1,
  resolve: 2,
  reject: 3,
  provider: 4,
  push: 5,
  drop: 6,
  cancel: 7,
  rejection: 8,
  command: 9,
  handler: 10,
  /** Names of the functions the plugin exports. */
  describe: 11,
  /** Names of the tests its modules declared, and one of them. */
  tests: 12,
  test: 13,
  /** A function body that came as text. */
  evaluate: 14,
  /** What a tool set offers, from what its source says. */
  offer: 15,
} as const;

/** What the guest hands out through its one host function. */
export const POST = { call: 0, returned: 1, threw: 2, log: 3, loaded: 4, emit: 5 } as const;

export type DeliveryKind = (typeof DELIVERY)[keyof typeof DELIVERY];
export type PostKind = (typeof POST)[keyof typeof POST];

export const LOG_LEVELS = ["debug", "info", "warn", "error", "unhandled"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a guest may say to people without waiting for an answer. */
export const EMITS = ["notify", "status", "progress"] as const;
export type EmitType = (typeof EMITS)[number];

/** What the one module of a bundled plugin is called in its guest, where its bytecode is compiled and where it is loaded. */
export const ownModuleName = (plugin: string): string => `${plugin}/index.js`;
/** The file with its bytecode, beside the one with its source. */
export const compiledPathOf = (source: string): string => source.replace(/\.js$/u, ".qjs");
