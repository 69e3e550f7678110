import { err, ok } from "../../base/index.js";
import type { Result } from "../../base/index.js";
import type { Diagnostic, ResourceInput, SdkOperations } from "../../schema/index.js";
import type { EffectContext, Facility, FoundResource, ResourcePort } from "../types.js";
import {
  type BytePath,
  displayPath,
  fromText,
  isWithin,
  openRegular,
  parentOf,
  parseName,
  type PathPolicy,
  realDenied,
  realWorkspace,
  resolveAgainst,
  resolveReal,
  showName,
  systemFailure,
} from "../paths/index.js";
import { resourceAlone, resourceBinary, resourceOutside, resourceTooLarge, resourceUnknown } from "./failures.js";

/** Of a file beside a resource. The resource itself is bounded by its manifest. */
const FILE_BYTES = 256 * 1024;

export interface ResourceDeps {
  readonly resources: ResourcePort;
  readonly policy: PathPolicy;
}

type Output = SdkOperations["resource.read"]["output"];

/** A plugin reads what its own manifest collects; that needs no grant besides. */
export function createResourceFacility(deps: ResourceDeps): Facility<"resource.read"> {
  return {
    authorize: async (input, context) => {
      const found = deps.resources.find(context.plugin, input.kind, input.name);
      if (found === undefined) return err(resourceUnknown(context.plugin, input.kind, input.name));
      if (input.path === undefined) return ok(input);
      const beside = await locateBeside(found, { ...input, path: input.path }, context, deps.policy);
      return beside.ok ? ok(input) : beside;
    },
    run: async (input, context) => ({ outcome: "not-applied", result: await readResource(input, context, deps) }),
  };
}

async function readResource(input: ResourceInput, context: EffectContext, deps: ResourceDeps): Promise<Result<Output, Diagnostic>> {
  const found = deps.resources.find(context.plugin, input.kind, input.name);
  if (found === undefined) return err(resourceUnknown(context.plugin, input.kind, input.name));
  const cwd = await realWorkspace(context);
  if (input.path === undefined) return ok({ path: displayPath(fromText(found.path), cwd), text: found.text });
  const beside = await locateBeside(found, { ...input, path: input.path }, context, deps.policy);
  return beside.ok ? readBeside(beside.value, displayPath(beside.value, cwd)) : beside;
}

/** The real path of a file in the folder of a resource. Denied places stay denied, unless the resource itself lies in one. */
async function locateBeside(
  resource: FoundResource,
  input: ResourceInput & { readonly path: string },
  context: EffectContext,
  policy: PathPolicy,
): Promise<Result<BytePath, Diagnostic>> {
  // A file of its own has nothing beside it: its folder can be the whole workspace, which nobody granted.
  if (!resource.isFolder) return err(resourceAlone(context.plugin, input.path, resource.path));
  const folder = await resolveReal(parentOf(fromText(resource.path)));
  if (!folder.ok) return folder;
  const root = folder.value.real;
  const outside = err(resourceOutside(context.plugin, input.path, showName(root)));
  if (input.path === "" || input.path.startsWith("/") || parseName(input.path).includes("\0")) return outside;
  const located = await resolveReal(resolveAgainst(root, parseName(input.path)));
  if (!located.ok) return located;
  const { real } = located.value;
  const denied = (await realDenied(policy)).filter((place) => !isWithin(place, root));
  return isWithin(root, real) && real !== root && !denied.some((place) => isWithin(place, real)) ? ok(real) : outside;
}

async function readBeside(real: BytePath, shown: string): Promise<Result<Output, Diagnostic>> {
  const opened = await openRegular(real, shown);
  if (!opened.ok) return opened;
  const { handle, stats } = opened.value;
  try {
    if (stats.size > FILE_BYTES) return err(resourceTooLarge(shown, stats.size, FILE_BYTES));
    const buffer = Buffer.alloc(FILE_BYTES + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    if (bytesRead > FILE_BYTES) return err(resourceTooLarge(shown, bytesRead, FILE_BYTES));
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) return err(resourceBinary(shown));
    return ok({ path: shown, text: new TextDecoder().decode(bytes) });
  } catch (error) {
    return err(systemFailure(error, shown, "read"));
  } finally {
    await handle.close();
  }
}
