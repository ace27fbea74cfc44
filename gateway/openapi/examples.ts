import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** A body of HTTP as it stands in the document. */
export interface BodyExample {
  /** Its media type. */
  readonly type: string;
  /** The JSON of a JSON type, the list of the messages of a stream over Connect, otherwise the text. */
  readonly value: JsonValue;
  /** What a reader must know beside the body, such as the header that signs it. */
  readonly note?: string;
}

/** A call of an operation and its response. */
export interface OperationExample {
  /** Values of the parameters in the path and in the query, by their names. */
  readonly parameters?: JsonObject;
  readonly request?: BodyExample;
  readonly response: BodyExample;
  /** An error that has the HTTP status of a success. */
  readonly error?: BodyExample;
}

/** The examples of a document. */
export interface ApiExamples {
  /** By HTTP method and path, such as `POST /v1/channels`. */
  readonly operations: Readonly<Record<string, OperationExample>>;
  /** Errors by the name of the response in the components of the document. */
  readonly errors: Readonly<Record<string, BodyExample>>;
}

const anyType = "*/*";

/**
 * Adds examples, by their names, to the content of a request or a response. An example of a type that the content
 * does not list gets an entry of its own, before the one for any type.
 */
export function addExamples(
  content: JsonObject,
  examples: Readonly<Record<string, BodyExample | undefined>>,
): JsonObject {
  const { [anyType]: any, ...added } = content as Record<string, JsonObject>;
  for (const [name, example] of Object.entries(examples)) {
    if (example === undefined) continue;
    const { type, value, note } = example;
    const described = added[type] ?? any ?? {};
    const others = described["examples"] as JsonObject | undefined;
    const one = { ...(note !== undefined && { description: note }), value };
    added[type] = { ...described, examples: { ...others, [name]: one } };
  }
  return any === undefined ? added : { ...added, [anyType]: any };
}

/** Returns the example of a parameter as a member of its description; empty without an example. */
export function exampleOfParameter(
  example: OperationExample | undefined,
  name: string,
): { example?: JsonValue } {
  const value = example?.parameters?.[name];
  return value === undefined ? {} : { example: value };
}
