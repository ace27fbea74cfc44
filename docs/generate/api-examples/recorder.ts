import type { ApiExamples, BodyExample, OperationExample } from "../../../gateway/openapi/examples.ts";

/** Collects examples. Of several calls of an operation, the first is its example. */
export interface Recorder {
  /** @param operation HTTP method and path, such as `POST /v1/channels` */
  add(operation: string, example: OperationExample): void;
  /** Adds an error with the HTTP status of a success. */
  addError(operation: string, error: BodyExample): void;
  /** Adds the example of an error response of the document's components. */
  addErrorResponse(name: string, error: BodyExample): void;
  examples(): ApiExamples;
}

export function createRecorder(): Recorder {
  const operations = new Map<string, OperationExample>();
  const errorsOf = new Map<string, BodyExample>();
  const responses = new Map<string, BodyExample>();
  return {
    add: (operation, example) => addFirst(operations, operation, example),
    addError: (operation, error) => addFirst(errorsOf, operation, error),
    addErrorResponse: (name, error) => addFirst(responses, name, error),
    examples() {
      const unused = [...errorsOf.keys()].filter((operation) => !operations.has(operation));
      if (unused.length > 0) throw new Error(`${unused.join(", ")}: only an error is called`);
      const withErrors = [...operations].map(([operation, example]) => {
        const error = errorsOf.get(operation);
        return [operation, error === undefined ? example : { ...example, error }] as const;
      });
      return { operations: Object.fromEntries(withErrors), errors: Object.fromEntries(responses) };
    },
  };
}

function addFirst<T>(map: Map<string, T>, key: string, value: T): void {
  if (!map.has(key)) map.set(key, value);
}
