import type { z } from "zod";
import { hasMeta, visit } from "./schema/walk.ts";
import { withValue } from "./tree.ts";

const mask = "********";

/** Returns the tree with masked secrets and otherwise unchanged. */
export function maskSecrets(schema: z.core.$ZodType, tree: unknown): unknown {
  let masked = tree;
  visit(schema, tree, (value, schemas, path) => {
    if (value !== undefined && schemas.some((one) => hasMeta(one, "secret")))
      masked = withValue(masked, path, mask);
  });
  return masked;
}
