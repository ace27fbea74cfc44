import type { DescField, JsonObject } from "@bufbuild/protobuf";
import type { RestBinding } from "../rest/bindings.ts";

/** A path in the form of OpenAPI, in which every wildcard is a parameter of one segment. */
export interface OpenApiPath {
  readonly path: string;
  /** The path with the same name for all parameters. OpenAPI treats paths of equal shape as identical. */
  readonly shape: string;
  readonly parameters: readonly PathParameter[];
}

export interface PathParameter {
  readonly name: string;
  /** The field of which the parameter is the value or a part; undefined if it is bound to none. */
  readonly field: DescField | undefined;
  /** Whether it is the whole value of its field. */
  readonly isWhole: boolean;
  /** Whether it may contain slashes, which OpenAPI cannot describe. */
  readonly isRest: boolean;
}

/** Converts `/v1/{name=shelves/*}` to `/v1/shelves/{name}`. Several wildcards of one variable are numbered. */
export function toOpenApiPath({ template, variables }: RestBinding): OpenApiPath {
  const parameters: PathParameter[] = [];
  const parts = template.segments.map((segment, i): string => {
    if (segment.kind === "literal") return segment.text;
    const bound = variables.find(
      ({ variable: { start, end } }) => i >= start && (end === undefined || i < end),
    );
    const wildcards = template.segments.slice(bound?.variable.start, bound?.variable.end).filter(isWildcard);
    const base = bound?.parameter.name ?? "segment";
    const isNumbered = wildcards.length > 1 || bound === undefined;
    const name = isNumbered ? `${base}_${wildcards.indexOf(segment) + 1}` : base;
    const isWhole = bound !== undefined && !bound.variable.multi;
    parameters.push({ name, field: bound?.parameter.field, isWhole, isRest: segment.kind === "rest" });
    return `{${name}}`;
  });
  const suffix = template.verb === "" ? "" : `:${template.verb}`;
  const path = `/${parts.join("/")}${suffix}`;
  return { path, shape: path.replace(/\{[^}]*\}/g, "{}"), parameters };
}

function isWildcard({ kind }: { readonly kind: string }): boolean {
  return kind !== "literal";
}

/** Describes the parameter as an OpenAPI object, with the name that it has in the path item. */
export function describePathParameter(
  parameter: PathParameter,
  name: string,
  describeField: (field: DescField) => JsonObject,
): JsonObject {
  const { description, ...schema } = parameter.field === undefined ? {} : describeField(parameter.field);
  const notes = [
    typeof description === "string" ? description : "",
    parameter.isWhole || parameter.field === undefined ? "" : `A part of \`${parameter.field.name}\`.`,
    parameter.isRest ? "May be several segments." : "",
  ].filter((note) => note !== "");
  return {
    name,
    in: "path",
    required: true,
    schema: parameter.isWhole ? schema : { type: "string" },
    ...(notes.length > 0 && { description: notes.join("\n\n") }),
  };
}
