import type { CommandContext } from "../context.js";
import type { AuthAccount, AuthAdmin, AuthOverview, AuthPlace } from "../../runtime/index.js";

/** What a command on keys works with. */
export interface AuthDesk {
  readonly context: CommandContext;
  readonly admin: AuthAdmin;
}

/** The place whose key is used. */
export const usedPlace = ({ places }: AuthAccount): AuthPlace | undefined => places.find(({ isSet }) => isSet);

/** The account of that name, or the first that looks for a key under it. */
export const accountOf = ({ accounts }: AuthOverview, name: string): AuthAccount | undefined =>
  accounts.find((one) => one.name === name) ?? accounts.find(({ places }) => places.some((place) => place.name === `auth:${name}`));

/** A place as a person says it. */
export function placeWords(name: string): string {
  if (name.startsWith("auth:")) return `auth file (${name.slice(5)})`;
  return name.startsWith("command:") ? `command of ${name.slice(8)}` : name;
}

export const placeType = (name: string): "auth" | "command" | "env" =>
  name.startsWith("auth:") ? "auth" : name.startsWith("command:") ? "command" : "env";
