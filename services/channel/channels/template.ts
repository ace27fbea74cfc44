import { limitsOf } from "../../../base/protobuf/limits.ts";
import { under } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { checkLine, checkText } from "../../../base/text/check-text.ts";
import {
  ChannelSchema,
  type ContentField,
  ContentFieldSchema,
  type CustomParameter,
  CustomParameterSchema,
  InputMethod,
  InputMethodSchema,
} from "../../../gen/engage/channel/v1/channel_pb.ts";
import { checkRows, checkValue } from "./input-methods.ts";
import { checkKey, checkList, checkProperty, checkRepeated, violationOf } from "./names.ts";

const content = ContentFieldSchema.field;
const { maxItems: maxFields } = limitsOf(ChannelSchema.field.contentTemplate);
const { maxItems: maxParameters } = limitsOf(ChannelSchema.field.customParameters);
const { maxItems: maxOptions, maxLength: maxOption } = limitsOf(content.options);
const { maxItems: maxColumns } = limitsOf(content.columns);
const { maxLength: maxDisplayName } = limitsOf(content.displayName);
const { maxLength: maxDescription } = limitsOf(content.description);
const { maxLength: maxDefault } = limitsOf(content.defaultValue);
const { maxLength: maxParameterDefault } = limitsOf(CustomParameterSchema.field.defaultValue);

const methodNames = InputMethodSchema.values
  .filter(({ number }) => number !== InputMethod.UNSPECIFIED)
  .map(({ name }) => name)
  .join(", ");

/** Checks the fields of `params`. */
export function checkTemplate(fields: readonly ContentField[]): readonly Violation[] {
  return checkList("content_template", fields, maxFields, () => [
    ...fields.flatMap((field, i) => under(`content_template[${i}]`, checkField(field))),
    ...checkRepeated(
      fields.map(({ name }) => name),
      (i) => `content_template[${i}].name`,
    ),
  ]);
}

function checkField(field: ContentField): readonly Violation[] {
  return [
    ...violationOf("name", checkKey(field.name)),
    ...(field.displayName === field.name
      ? []
      : violationOf("display_name", checkLine(field.displayName, maxDisplayName))),
    ...violationOf("description", checkText(field.description, maxDescription)),
    ...checkMethod(field),
    ...checkOptions(field),
    ...checkColumns(field),
    ...checkDefault(field),
  ];
}

function checkMethod({ inputMethod }: ContentField): readonly Violation[] {
  if (inputMethod >= InputMethod.TEXT && inputMethod <= InputMethod.ARRAY_ROW) return [];
  const found = inputMethod === InputMethod.UNSPECIFIED ? "is required" : `is ${inputMethod}`;
  return [{ field: "input_method", description: `${found}, valid are ${methodNames}` }];
}

function checkOptions({ inputMethod, options }: ContentField): readonly Violation[] {
  if (inputMethod !== InputMethod.DROPDOWN) return unwanted("options", options, "a dropdown");
  if (options.length === 0)
    return [{ field: "options", description: "is empty, a dropdown needs at least one" }];
  return checkList("options", options, maxOptions, () => [
    ...options.flatMap((option, i) =>
      violationOf(`options[${i}]`, option === "" ? "is empty" : checkLine(option, maxOption)),
    ),
    ...checkRepeated(options, (i) => `options[${i}]`),
  ]);
}

function checkColumns({ inputMethod, columns }: ContentField): readonly Violation[] {
  if (inputMethod !== InputMethod.ARRAY_ROW) return unwanted("columns", columns, "array rows");
  if (columns.length === 0)
    return [{ field: "columns", description: "is empty, array rows need at least one" }];
  return checkList("columns", columns, maxColumns, () => [
    ...columns.flatMap((column, i) => violationOf(`columns[${i}]`, checkKey(column))),
    ...checkRepeated(columns, (i) => `columns[${i}]`),
  ]);
}

function unwanted(field: string, values: readonly unknown[], of: string): readonly Violation[] {
  return values.length === 0
    ? []
    : [{ field, description: `has ${values.length} entries, valid only for ${of}` }];
}

function checkDefault(field: ContentField): readonly Violation[] {
  const { defaultValue, defaultRows, inputMethod } = field;
  if (inputMethod === InputMethod.UNSPECIFIED) return [];
  if (inputMethod === InputMethod.ARRAY_ROW) {
    return [
      ...violationOf(
        "default_value",
        defaultValue === "" ? undefined : "is set, array rows use default_rows instead",
      ),
      ...(defaultRows ? under("default_rows.rows", checkRows(field, defaultRows, maxDefault)) : []),
    ];
  }
  const fault = checkText(defaultValue, maxDefault) ?? checkValue(field, defaultValue);
  return [
    ...violationOf("default_value", defaultValue === "" ? undefined : fault),
    ...unwanted("default_rows.rows", defaultRows?.rows ?? [], "array rows"),
  ];
}

/** Checks the fields of `custom_params`. */
export function checkCustomParameters(parameters: readonly CustomParameter[]): readonly Violation[] {
  return checkList("custom_parameters", parameters, maxParameters, () => [
    ...parameters.flatMap(({ name, property, defaultValue }, i) =>
      under(`custom_parameters[${i}]`, [
        ...violationOf("name", checkKey(name)),
        ...violationOf("property", checkProperty(property)),
        ...violationOf("default_value", checkText(defaultValue, maxParameterDefault)),
      ]),
    ),
    ...checkRepeated(
      parameters.map(({ name }) => name),
      (i) => `custom_parameters[${i}].name`,
    ),
  ]);
}
