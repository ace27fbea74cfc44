import { type DescField, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "../../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../../gen/google/api/http_pb.ts";
import type { ServedMethod, ServedService } from "../methods.ts";
import { compileParameter, findField, type Parameter } from "./parameters.ts";
import { compileTemplate, type PathTemplate, type Variable } from "./path/template.ts";

/** One HTTP method and path of an RPC, from its `google.api.http` option. */
export interface RestBinding {
  readonly served: ServedMethod;
  /** The method in capitals. `*` stands for every method that no other binding of the path names. */
  readonly httpMethod: string;
  readonly template: PathTemplate;
  readonly variables: readonly BoundVariable[];
  /** The field that is the HTTP body, the whole message, or undefined for none. */
  readonly body: DescField | "*" | undefined;
  /** The field of the response that is sent; undefined for the whole message. */
  readonly responseField: DescField | undefined;
}

export interface BoundVariable {
  readonly variable: Variable;
  readonly parameter: Parameter;
}

/** All bindings of all methods. Throws with the method and the template of the first that is wrong. */
export function compileBindings(services: readonly ServedService[]): readonly RestBinding[] {
  return services.flatMap(({ methods }) => methods.flatMap(compileMethod));
}

function compileMethod(served: ServedMethod): readonly RestBinding[] {
  if (!hasOption(served.desc, http)) return [];
  const rule = getOption(served.desc, http);
  return [rule, ...rule.additionalBindings].map((binding, i) => {
    try {
      if (i > 0 && binding.additionalBindings.length > 0) {
        throw new Error("additional bindings can't have additional bindings");
      }
      return compileRule(served, binding);
    } catch (error) {
      throw new Error(`http option of ${served.name}: ${(error as Error).message}`, { cause: error });
    }
  });
}

function compileRule(served: ServedMethod, rule: HttpRule): RestBinding {
  const { input, output } = served.desc;
  const { httpMethod, path } = patternOf(rule);
  const template = compileTemplate(path);
  if (rule.body !== "" && (httpMethod === "GET" || httpMethod === "HEAD")) {
    throw new Error(`${httpMethod} "${path}" has body "${rule.body}", but a ${httpMethod} has no body`);
  }
  return {
    served,
    httpMethod,
    template,
    variables: template.variables.map((variable) => bindVariable(input, variable, path)),
    body:
      rule.body === "" || rule.body === "*"
        ? rule.body || undefined
        : fieldOf(input, rule.body, "body", path),
    responseField:
      rule.responseBody === "" ? undefined : fieldOf(output, rule.responseBody, "response_body", path),
  };
}

function patternOf({ pattern }: HttpRule): { httpMethod: string; path: string } {
  if (pattern.case === undefined) throw new Error("names neither an HTTP method nor a path");
  if (pattern.case !== "custom") return { httpMethod: pattern.case.toUpperCase(), path: pattern.value };
  const { kind, path } = pattern.value;
  if (!/^(?:\*|[A-Z][A-Z-]*)$/.test(kind))
    throw new Error(`custom method "${kind}" of "${path}" is not in capitals`);
  return { httpMethod: kind, path };
}

function bindVariable(input: DescMessage, variable: Variable, path: string): BoundVariable {
  const parameter = compileParameter(input, variable.fieldPath);
  const name = variable.fieldPath.join(".");
  if (typeof parameter === "string") throw new Error(`path template "${path}" binds "${name}": ${parameter}`);
  if (parameter.field.fieldKind === "list")
    throw new Error(`path template "${path}" binds "${name}", which is repeated`);
  return { variable, parameter };
}

function fieldOf(desc: DescMessage, name: string, option: string, path: string): DescField {
  const field = findField(desc, name);
  if (field === undefined) {
    const names = desc.fields.map((known) => known.name).join(", ");
    throw new Error(`${option} "${name}" of "${path}" is no field of ${desc.typeName}, valid are ${names}`);
  }
  return field;
}
