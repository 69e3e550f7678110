/** A sixth door, for looking at the machine: nothing is started, opened or changed. */
export { createMachine, type Machine, type MachineFolder } from "../effect/index.js";
