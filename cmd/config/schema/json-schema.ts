import { z } from "zod";
import { configSchema } from "./schema.ts";

/** Returns the JSON Schema of engage.yaml, with the texts, defaults and examples of settings. */
export function jsonSchemaOfSettings(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(configSchema, {
    io: "input",
    unrepresentable: "any",
    // zod leaves out the examples of schemas that transform their values, since it takes them for output.
    override({ zodSchema, jsonSchema }) {
      const examples = z.globalRegistry.get(zodSchema)?.["examples"];
      if (Array.isArray(examples)) jsonSchema.examples = examples;
    },
  });
}
