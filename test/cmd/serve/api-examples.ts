import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** A body or a parameter of an operation, with where it stands in the document. */
export interface Place {
  readonly name: string;
  /** Keys from the root of the document to its schema. */
  readonly schema: readonly string[];
  readonly value: JsonValue;
}

export interface Operation {
  /** HTTP method and path. */
  readonly name: string;
  readonly operationId: string;
  readonly description: JsonObject;
  readonly keys: readonly string[];
}

type Described = Readonly<Record<string, JsonObject>>;

export function operationsOf(document: JsonObject): readonly Operation[] {
  return Object.entries(document["paths"] as Record<string, Described>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, description]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operationId: description["operationId"] as string,
      description,
      keys: ["paths", path, method],
    })),
  );
}

/** Returns what is without an example: the body of the request, the response, and parameters in the path. */
export function missingExamples({ name, description }: Operation): readonly string[] {
  const {
    requestBody,
    responses,
    parameters = [],
  } = description as unknown as {
    readonly requestBody?: { readonly content: Described };
    readonly responses: Readonly<Record<string, { readonly content: Described }>>;
    readonly parameters?: readonly {
      readonly name: string;
      readonly in: string;
      readonly example?: JsonValue;
    }[];
  };
  const has = (content: Described | undefined, example: string): boolean =>
    Object.values(content ?? {}).some(({ examples }) => Object.hasOwn((examples ?? {}) as object, example));
  return [
    ...(requestBody === undefined || has(requestBody.content, "call") ? [] : [`${name}: the request`]),
    ...(has(responses["200"]?.content, "success") ? [] : [`${name}: the response`]),
    ...parameters
      .filter((one) => one.in === "path" && one.example === undefined)
      .map((one) => `${name}: the parameter ${one.name}`),
  ];
}

/** Returns all examples below a part of the document. */
export function placesOf(value: JsonValue, keys: readonly string[]): readonly Place[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one, i) => placesOf(one, [...keys, String(i)]));
  const { examples, example, schema } = value as Record<string, JsonValue>;
  const place = { name: keys.join(" "), schema: [...keys, "schema"] };
  if (schema !== undefined && example !== undefined) return [{ ...place, value: example }];
  if (schema === undefined)
    return Object.entries(value).flatMap(([key, one]) => placesOf(one, [...keys, key]));
  const bodies = Object.values((examples ?? {}) as Record<string, { readonly value: JsonValue }>);
  return bodies.map((body) => ({ ...place, value: body.value }));
}

/**
 * Creates a function that returns what is wrong with a value by the schema at a place of the document. The lines of a
 * text with `contentSchema` are values of that.
 */
export function createSchemaCheck(document: JsonObject): (place: Place) => readonly string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat("uint64", true);
  ajv.addSchema(document, "document");
  const check = ({ name, schema, value }: Place): readonly string[] => {
    const pointer = schema.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1")));
    const validate = ajv.compile({ $ref: `document#/${pointer.join("/")}` });
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${name}${error.instancePath}: ${error.message}`);
  };
  const hasLines = ({ schema }: Place): boolean =>
    "contentSchema" in schema.reduce((inner, key) => inner[key] as JsonObject, document);
  return (place) => [place, ...(hasLines(place) ? linesOf(place) : [])].flatMap(check);
}

function linesOf({ name, schema, value }: Place): readonly Place[] {
  const lines = (value as string).trimEnd().split("\n");
  return lines.map((line, i) => ({
    name: `${name}, line ${i + 1}`,
    schema: [...schema, "contentSchema"],
    value: JSON.parse(line) as JsonValue,
  }));
}
