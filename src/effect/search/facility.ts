import { err, ok } from "../../base/index.js";
import type { GitPlaces } from "./ignore/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import type { EffectContext, EffectReply, Facility } from "../types.js";
import type { PathPolicy } from "../paths/index.js";
import { authorizePath, confirmPlace, missingAt, realDenied, realWorkspace } from "../paths/index.js";
import type { Search } from "./client.js";
import type { SearchOperation, SearchOperations, SearchScope, TaskOf } from "./task.js";

export interface SearchFacilities {
  readonly "search.find": Facility<"search.find">;
  readonly "search.grep": Facility<"search.grep">;
  readonly "fs.list": Facility<"fs.list">;
}

export interface SearchFacilityDeps {
  readonly policy: PathPolicy;
  readonly search: Search;
  /** Says where a person's own rules of git lie. */
  readonly env: Readonly<Record<string, string>>;
}

export function createSearchFacilities({ policy, search, env }: SearchFacilityDeps): SearchFacilities {
  // What reads ignore rules brings a package, and is loaded by the first search.
  const gitOf = async (): Promise<GitPlaces> => (await import("./ignore/index.js")).gitPlaces(env);
  const narrow = async <In extends { readonly path?: string }>(
    input: In,
    access: "read" | "search",
    context: EffectContext,
  ): Promise<Result<In, Diagnostic>> => {
    const place = await authorizePath(input.path ?? ".", access, context, policy);
    return place.ok ? ok({ ...input, path: place.value.recorded }) : place;
  };
  const perform = async <Op extends SearchOperation>(
    context: EffectContext,
    path: string | undefined,
    taskOf: (scope: SearchScope) => TaskOf<Op>,
  ): Promise<EffectReply<SearchOperations[Op]["output"]>> => {
    const place = await confirmPlace(path ?? ".", context);
    if (!place.ok) return { outcome: "not-applied", result: place };
    if (!place.value.exists) return { outcome: "not-applied", result: err(await missingAt(place.value)) };
    const cwd = await realWorkspace(context);
    const scope: SearchScope = { root: place.value.real, cwd, denied: await realDenied(policy), git: await gitOf() };
    return { outcome: "not-applied", result: await search.run(taskOf(scope), context.signal) };
  };
  return {
    "search.find": {
      authorize: (input, context) => narrow(input, "search", context),
      run: (input, context) => perform(context, input.path, (scope) => ({ op: "find", scope, input })),
    },
    "search.grep": {
      authorize: (input, context) => narrow(input, "search", context),
      run: (input, context) => perform(context, input.path, (scope) => ({ op: "grep", scope, input })),
    },
    "fs.list": {
      authorize: (input, context) => narrow(input, "read", context),
      run: (input, context) => perform(context, input.path, (scope) => ({ op: "list", scope, input })),
    },
  };
}
