import { z } from "zod";
import type { ConfigPath } from "../problem.ts";
import { withValue } from "../tree.ts";

type Schema = z.core.$ZodType;
/** A schema without its wrappers (optional, default, transform …) and without unions. */
type PlainSchema = z.core.$ZodTypes;

declare module "zod" {
  interface GlobalMeta {
    /** Whether the value is never printed, and can be given as `{ file: path }`. */
    secret?: boolean;
    /** Whether the value is a path. Relative paths start at the folder of the configuration file. */
    path?: boolean;
    /** Whether the value is the path of a file that is read once, so that a reload looks whether it has changed. */
    read?: boolean;
  }
}

/** The layers of each schema that was asked for. A start walks the same schemas several times. */
const knownLayers = new WeakMap<Schema, readonly PlainSchema[]>();

/** Returns the schema and its wrapped schemas, outermost first, without the options of a union. */
function layers(schema: Schema): readonly PlainSchema[] {
  const known = knownLayers.get(schema);
  if (known !== undefined) return known;
  const found: PlainSchema[] = [];
  let current: Schema | undefined = schema;
  while (current !== undefined) {
    const plain: PlainSchema = current as PlainSchema;
    found.push(plain);
    current = wrapped(plain);
  }
  knownLayers.set(schema, found);
  return found;
}

function wrapped(schema: PlainSchema): Schema | undefined {
  const def = schema._zod.def;
  if (def.type === "pipe") return def.in._zod.def.type === "transform" ? def.out : def.in;
  if (def.type === "lazy") return def.getter();
  return "innerType" in def ? def.innerType : undefined;
}

/** Returns the possible schemas of a value, without wrappers and unions. */
export function optionsOf(schema: Schema): PlainSchema[] {
  const plain = layers(schema).at(-1)!;
  const def = plain._zod.def;
  return def.type === "union" ? def.options.flatMap(optionsOf) : [plain];
}

export function hasMeta(schema: Schema, name: "secret" | "path" | "read"): boolean {
  return layers(schema).some((layer) => {
    if (z.globalRegistry.get(layer)?.[name] === true) return true;
    const def = layer._zod.def;
    return def.type === "union" && def.options.some((option) => hasMeta(option, name));
  });
}

/** Returns the schemas of the child `key` of a value, in each option that has one. */
export function childSchemas(schema: Schema, key: string | number): Schema[] {
  return optionsOf(schema).flatMap((option): Schema[] => {
    const def = option._zod.def;
    if (def.type === "object") return Object.hasOwn(def.shape, key) ? [def.shape[key]!] : [];
    if (def.type === "array") return [def.element];
    if (def.type === "record") return [def.valueType];
    return [];
  });
}

/** Returns the schemas of the value at `path`; empty if the path does not exist. */
export function schemasAt(root: Schema, path: ConfigPath): Schema[] {
  return path.reduce<Schema[]>(
    (schemas, key) => schemas.flatMap((schema) => childSchemas(schema, key)),
    [root],
  );
}

/** Returns the text of the setting at `path` of these values, by which the kinds of sections are known. */
export function textAt(root: Schema, tree: unknown, path: ConfigPath): string | undefined {
  let schemas: readonly Schema[] = [root];
  let value = tree;
  for (const key of path) {
    const section = value;
    schemas = schemas.flatMap((schema) =>
      optionsOf(schema)
        .filter(({ _zod: { def } }) => def.type !== "object" || agrees(def.shape, section))
        .flatMap((option) => childSchemas(option, key)),
    );
    value = (section as Record<string | number, unknown> | null | undefined)?.[key];
  }
  return schemas
    .map((schema) => z.globalRegistry.get(schema)?.description)
    .find((text) => text !== undefined);
}

/**
 * Returns the keys that a section may have; undefined if it may have any, or is no section. Options of a union that a
 * constant of this section (its `type`, for example) rules out do not count.
 */
export function keysOf(schema: Schema, section?: unknown): string[] | undefined {
  const objects = optionsOf(schema).flatMap(({ _zod: { def } }) =>
    def.type === "object" ? [def.shape] : [],
  );
  const fitting = objects.filter((shape) => agrees(shape, section));
  return objects.length === 0 ? undefined : [...new Set(fitting.flatMap((shape) => Object.keys(shape)))];
}

function agrees(shape: Readonly<Record<string, Schema>>, section: unknown): boolean {
  return Object.entries(shape).every(([key, child]) => {
    const { def } = (child as PlainSchema)._zod;
    const value = (section as Record<string, unknown> | null | undefined)?.[key];
    return def.type !== "literal" || value === undefined || def.values.includes(value as never);
  });
}

/** Whether the value at `path` is, contains or is part of a secret, so that it must not be quoted. */
export function touchesSecret(root: Schema, path: ConfigPath): boolean {
  for (let length = 0; length < path.length; length++) {
    if (schemasAt(root, path.slice(0, length)).some((schema) => hasMeta(schema, "secret"))) return true;
  }
  return schemasAt(root, path).some((schema) => holdsSecret(schema, new Set()));
}

function holdsSecret(schema: Schema, seen: Set<Schema>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (hasMeta(schema, "secret")) return true;
  return optionsOf(schema).some(({ _zod: { def } }) => {
    if (def.type === "object") return Object.values(def.shape).some((child) => holdsSecret(child, seen));
    if (def.type === "array") return holdsSecret(def.element, seen);
    return def.type === "record" && holdsSecret(def.valueType, seen);
  });
}

/** Visits every value of a tree, sections and lists before their contents. */
export function visit(
  root: Schema,
  tree: unknown,
  each: (value: unknown, schemas: readonly Schema[], path: ConfigPath) => void,
): void {
  const walk = (value: unknown, schemas: readonly Schema[], path: ConfigPath): void => {
    each(value, schemas, path);
    if (value === null || typeof value !== "object") return;
    for (const [name, child] of Object.entries(value)) {
      const key = Array.isArray(value) ? Number(name) : name;
      walk(
        child,
        schemas.flatMap((schema) => childSchemas(schema, key)),
        [...path, key],
      );
    }
  };
  walk(tree, [root], []);
}

/** Removes empty sections. A section whose values are all commented out is null in YAML, and treated as left out. */
export function dropEmptySections(root: Schema, tree: unknown): unknown {
  let result = tree;
  visit(root, tree, (value, schemas, path) => {
    if (value !== null || typeof path.at(-1) !== "string") return;
    const kinds: string[] = schemas.flatMap(optionsOf).map(({ _zod: { def } }) => def.type);
    if (kinds.some((kind) => sectionKinds.has(kind)) && !kinds.includes("null"))
      result = withValue(result, path, undefined);
  });
  return result;
}

const sectionKinds: ReadonlySet<string> = new Set(["object", "array", "record"]);
