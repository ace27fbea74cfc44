import { environmentNameOf } from "../../../cmd/config/environment/environment.ts";
import { jsonSchemaOfSettings } from "../../../cmd/config/schema/json-schema.ts";

/** A node of the JSON Schema of engage.yaml, with what this documentation reads. */
export interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly secret?: boolean;
  readonly path?: boolean;
}

/** A setting: one property of one section. */
export interface Setting {
  /** Keys from the root: `[]` stands for the elements of a list, `NAME` for named entries. */
  readonly path: readonly string[];
  readonly node: Node;
  readonly isRequired: boolean;
  /** The kinds of the section that have it, and those that do not. */
  readonly kinds: readonly string[];
  readonly otherKinds: readonly string[];
}

/** An object of the configuration with its settings, in the order of the file. */
export interface Section {
  readonly path: readonly string[];
  readonly text: string;
  readonly settings: readonly Setting[];
}

/** Returns all sections, each before those within it. */
export function listSections(root = jsonSchemaOfSettings() as Node): readonly Section[] {
  const found = new Map<string, Section>();
  const visit = (node: Node, path: readonly string[], text: string): void => {
    const variants = variantsOf(node);
    if (variants.length === 0) {
      visitParts(node, path, text, visit);
      return;
    }
    const settings = mergeVariants(variants, path);
    const section = { path, text, settings };
    // Kinds of a section may share one of its sections.
    const key = `${path.join(".")} ${JSON.stringify(settings.map(({ node }) => node))}`;
    if (found.has(key)) return;
    found.set(key, section);
    for (const setting of settings) visit(setting.node, setting.path, setting.node.description ?? "");
  };
  visit(root, [], "");
  return [...found.values()];
}

type Visit = (node: Node, path: readonly string[], text: string) => void;

/** Visits the elements of a list and the named entries of a section. */
function visitParts(node: Node, path: readonly string[], text: string, visit: Visit): void {
  for (const one of [node, ...(node.anyOf ?? [])]) {
    if (one.items !== undefined) visit(one.items, [...path, "[]"], text);
    const { additionalProperties: entry } = one;
    if (typeof entry === "object") visit(entry, [...path, "NAME"], text);
  }
}

/** Returns the objects that a value may be; none if it is no section. */
function variantsOf(node: Node): readonly Node[] {
  if (node.properties !== undefined) return [node];
  return [...(node.oneOf ?? []), ...(node.anyOf ?? [])].filter(({ properties }) => properties !== undefined);
}

interface Merged {
  readonly name: string;
  node: Node;
  readonly isRequired: boolean;
  readonly kinds: string[];
}

/** Lists the settings of all variants, those that several share once. */
function mergeVariants(variants: readonly Node[], path: readonly string[]): readonly Setting[] {
  const merged = new Map<string, Merged>();
  for (const variant of variants) {
    for (const [name, node] of Object.entries(variant.properties ?? {})) {
      // All kinds share the setting that distinguishes them.
      const isKind = variants.length > 1 && node.const !== undefined;
      const key = isKind ? name : `${name} ${JSON.stringify(node)}`;
      const known = merged.get(key);
      if (known === undefined) {
        const isRequired = variant.required?.includes(name) === true;
        merged.set(key, { name, node, isRequired, kinds: [kindOf(variant)] });
      } else {
        known.kinds.push(kindOf(variant));
        if (isKind) known.node = joinKinds(known.node, node);
      }
    }
  }
  const all = variants.map(kindOf);
  return Array.from(merged.values(), ({ name, node, isRequired, kinds }) => {
    const otherKinds = all.filter((kind) => !kinds.includes(kind));
    return { path: [...path, name], node, isRequired, kinds, otherKinds };
  });
}

/** Returns the constant that distinguishes an object from the others of a union. */
function kindOf({ properties = {} }: Node): string {
  return String(Object.values(properties).find((property) => property.const !== undefined)?.const);
}

function joinKinds(first: Node, second: Node): Node {
  return {
    type: "string",
    enum: [...(first.enum ?? [first.const]), second.const],
    description: `${first.description} ${second.description}`,
  };
}

/** Returns how messages write the path, such as `webhook.targets.NAME.url`. */
export function formatSettingPath(path: readonly string[]): string {
  return path.reduce((text, key) => (key === "[]" ? `${text}[]` : text === "" ? key : `${text}.${key}`), "");
}

/** Returns the variable that sets the value; the index of lists is 0 in it. */
export function variableOf(path: readonly string[]): string {
  return environmentNameOf(path.map((key) => (key === "[]" ? 0 : key)));
}

/** Whether the setting has settings of its own instead of a value. */
export function isSection(node: Node): boolean {
  const parts = [node, ...(node.anyOf ?? [])].flatMap(({ items, additionalProperties }) => [
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
  ]);
  return variantsOf(node).length > 0 || parts.some(isSection);
}

/** Returns a valid value: the given example, else the default, else the first of the valid ones. */
export function exampleOf(node: Node): unknown {
  const [example] = node.examples ?? [];
  if (example !== undefined) return example;
  if (node.default !== undefined) return node.default;
  if (node.type === "boolean") return true;
  return node.const ?? node.enum?.[0];
}
