import { ClientRequestSchema, type JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";

const SCHEMAS = new Map(ClientRequestSchema.options.map((schema) => [schema.shape.method.value as string, schema]));

/**
 * What is wrong with the parameters of a request of a known method; undefined when nothing is. The SDK's own answer to such a request is
 * an internal error with the words of its checker.
 */
export function paramsProblem({ method, params }: JSONRPCRequest): string | undefined {
  const checked = SCHEMAS.get(method)?.safeParse({ method, params });
  if (checked === undefined || checked.success) return undefined;
  const [issue] = checked.error.issues;
  const place = issue?.path.join(".") ?? "";
  return `Invalid params of ${method}: ${place === "" ? "" : `${place}: `}${issue?.message ?? "they do not fit"}`;
}
