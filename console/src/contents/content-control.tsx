import { type Channel, type ContentField, InputMethod } from "../../../gen/engage/channel/v1/channel_pb.ts";
import { ArrayRowsSchema, ContentValueSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import { Field, Select } from "../controls/field.tsx";
import type { Faults } from "../form/faults.ts";
import { RowsControl } from "../form/rows-control.tsx";
import { sayLimits } from "../form/say.ts";
import { t } from "../texts/texts.ts";
import { type ContentDraft, namedFields, rowsOf, textOf } from "./content-draft.ts";
import "../form/form.css";

export interface ContentControlProps {
  readonly channel: Pick<Channel, "contentTemplate">;
  readonly content: ContentDraft;
  /** By paths within the content. */
  readonly faults: Faults;
  /** What a field without a value and without a default gets, where that is not nothing. */
  readonly substitute?: string;
  readonly onChange: (content: ContentDraft) => void;
}

/** The values of one content: a control for each field that the channel has. */
export function ContentControl({ channel, content, faults, substitute, onChange }: ContentControlProps) {
  const fields = namedFields(channel);
  const texts = fields.filter(({ inputMethod }) => inputMethod !== InputMethod.ARRAY_ROW);
  const arrays = fields.filter(({ inputMethod }) => inputMethod === InputMethod.ARRAY_ROW);
  return (
    <>
      {texts.length > 0 && (
        <div class="form-fields">
          {texts.map((field) => (
            <TextControl
              key={field.name}
              field={field}
              substitute={substitute}
              value={textOf(content.texts, field.name)}
              error={faults.get(pathOf(field))}
              onInput={(value) => onChange({ ...content, texts: { ...content.texts, [field.name]: value } })}
            />
          ))}
        </div>
      )}
      {arrays.map((field) => (
        <RowsControl
          key={field.name}
          label={nameOf(field)}
          columns={field.columns}
          rows={rowsOf(content.rows, field.name)}
          limits={[...hintsOf(field, substitute), sayLimits(ArrayRowsSchema.field.rows)].join(" · ")}
          error={faults.get(pathOf(field)) ?? faults.get(`${pathOf(field)}.rows`)}
          onChange={(rows) => onChange({ ...content, rows: { ...content.rows, [field.name]: rows } })}
        />
      ))}
    </>
  );
}

/** The path of a value within the content, as the server writes it. */
function pathOf({ name }: ContentField): string {
  return `values[${JSON.stringify(name)}]`;
}

function nameOf({ displayName, name }: ContentField): string {
  return displayName || name;
}

function hintsOf(field: ContentField, substitute: string | undefined): readonly string[] {
  const { description, required, defaultValue, defaultRows } = field;
  const hasDefault = defaultValue !== "" || (defaultRows?.rows.length ?? 0) > 0;
  const ofEmpty = substitute ?? (required ? t("form.required") : "");
  return [
    hasDefault ? "" : ofEmpty,
    description,
    defaultValue === "" ? "" : t("form.default", { value: defaultValue }),
  ].filter((hint) => hint !== "");
}

interface TextControlProps {
  readonly field: ContentField;
  readonly substitute: string | undefined;
  readonly value: string;
  readonly error: string | undefined;
  readonly onInput: (value: string) => void;
}

function TextControl({ field, substitute, value, error, onInput }: TextControlProps) {
  const { inputMethod, options, defaultValue } = field;
  if (inputMethod === InputMethod.DROPDOWN) {
    const none = { value: "", text: defaultValue || substitute || t("contents.none") };
    return (
      <Select
        label={nameOf(field)}
        value={value}
        options={[
          none,
          ...options.filter((one) => one !== defaultValue).map((one) => ({ value: one, text: one })),
        ]}
        error={error}
        onChange={onInput}
      />
    );
  }
  const isLong = inputMethod === InputMethod.TEXT || inputMethod === InputMethod.DYNAMIC_TEXT;
  return (
    <Field
      label={nameOf(field)}
      limits={[...hintsOf(field, substitute), ...methodHints(inputMethod)].join(" · ")}
      value={value}
      error={error}
      onInput={onInput}
      {...(isLong && { rows: 2 })}
    />
  );
}

function methodHints(method: InputMethod): readonly string[] {
  const length = sayLimits(ContentValueSchema.field.text);
  switch (method) {
    case InputMethod.DYNAMIC_TEXT:
      return [t("contents.dynamic", { example: "{level}" }), length ?? ""];
    case InputMethod.NUMBER:
      return [t("contents.number")];
    case InputMethod.DATE:
      return [t("form.format.day")];
    case InputMethod.TIME:
      return [t("form.format.time")];
    default:
      return [length ?? ""];
  }
}
