import {
  type Channel,
  type ContentField,
  InputMethod,
} from "../../../../../gen/engage/channel/v1/channel_pb.ts";
import {
  ArrayRowsSchema,
  ContentSchema,
  ContentValueSchema,
} from "../../../../../gen/engage/channel/v1/task_pb.ts";
import { Button } from "../../../controls/button.tsx";
import { Field, Select } from "../../../controls/field.tsx";
import { type Faults, faultsOf } from "../../../form/faults.ts";
import { RowsControl } from "../../../form/rows-control.tsx";
import { labelOf, sayLimits } from "../../../form/say.ts";
import { t } from "../../../texts/texts.ts";
import { type ContentDraft, defaultContent } from "./task-draft.ts";

export interface ContentsControlProps {
  readonly channel: Channel;
  readonly contents: readonly ContentDraft[];
  /** By paths within the message that has the contents. */
  readonly faults: Faults;
  readonly onChange: (contents: readonly ContentDraft[]) => void;
}

/** The contents in all languages, each with the fields that the channel has. */
export function ContentsControl({ channel, contents, faults, onChange }: ContentsControlProps) {
  const label = t("tasks.content");
  const fault = faults.get("contents");
  return (
    <div class="form-list">
      {contents.map((content, i) => (
        // Contents keep their places while they are edited.
        <fieldset key={i}>
          <legend>{t("form.entry", { label, number: String(i + 1) })}</legend>
          <ContentControl
            channel={channel}
            content={content}
            faults={faultsOf(faults, `contents[${i}]`)}
            onChange={(changed) => onChange(contents.with(i, changed))}
          />
          {contents.length > 1 && (
            <div>
              <Button
                kind="quiet"
                label={t("form.removeEntry", { label, number: String(i + 1) })}
                onClick={() => onChange(contents.toSpliced(i, 1))}
              >
                {t("form.remove")}
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      {fault !== undefined && <span class="form-fault">{fault}</span>}
      <div>
        <Button onClick={() => onChange([...contents, nextContent(contents)])}>
          {t("tasks.content.addLanguage")}
        </Button>
      </div>
    </div>
  );
}

/** A further language begins with the values of the first. */
function nextContent([first = defaultContent]: readonly ContentDraft[]): ContentDraft {
  return { ...first, language: "" };
}

interface ContentControlProps {
  readonly channel: Channel;
  readonly content: ContentDraft;
  readonly faults: Faults;
  readonly onChange: (content: ContentDraft) => void;
}

function ContentControl({ channel, content, faults, onChange }: ContentControlProps) {
  const { language } = ContentSchema.field;
  return (
    <div class="stack">
      <div class="form-fields">
        <Field
          label={labelOf(language)}
          limits={sayLimits(language) ?? ""}
          value={content.language}
          error={faults.get("language")}
          isRequired
          onInput={(value) => onChange({ ...content, language: value })}
        />
        {channel.contentTemplate
          .filter(({ inputMethod }) => inputMethod !== InputMethod.ARRAY_ROW)
          .map((field) => (
            <TextControl
              key={field.name}
              field={field}
              value={content.texts[field.name] ?? ""}
              error={faults.get(pathOf(field))}
              onInput={(value) => onChange({ ...content, texts: { ...content.texts, [field.name]: value } })}
            />
          ))}
      </div>
      {channel.contentTemplate
        .filter(({ inputMethod }) => inputMethod === InputMethod.ARRAY_ROW)
        .map((field) => (
          <RowsControl
            key={field.name}
            label={nameOf(field)}
            columns={field.columns}
            rows={content.rows[field.name] ?? []}
            limits={[...hintsOf(field), sayLimits(ArrayRowsSchema.field.rows)].join(" · ")}
            error={faults.get(pathOf(field)) ?? faults.get(`${pathOf(field)}.rows`)}
            onChange={(rows) => onChange({ ...content, rows: { ...content.rows, [field.name]: rows } })}
          />
        ))}
    </div>
  );
}

/** The path of a value within the content, as the server writes it. */
function pathOf({ name }: ContentField): string {
  return `values[${JSON.stringify(name)}]`;
}

function nameOf({ displayName, name }: ContentField): string {
  return displayName || name;
}

function hintsOf({ description, required, defaultValue }: ContentField): readonly string[] {
  return [
    ...(required && defaultValue === "" ? [t("form.required")] : []),
    ...(description === "" ? [] : [description]),
    ...(defaultValue === "" ? [] : [t("form.default", { value: defaultValue })]),
  ];
}

interface TextControlProps {
  readonly field: ContentField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onInput: (value: string) => void;
}

function TextControl({ field, value, error, onInput }: TextControlProps) {
  const { inputMethod, options, defaultValue } = field;
  if (inputMethod === InputMethod.DROPDOWN) {
    const none = { value: "", text: defaultValue === "" ? t("tasks.content.none") : defaultValue };
    return (
      <Select
        label={nameOf(field)}
        value={value}
        options={[
          none,
          ...options.filter((one) => one !== defaultValue).map((one) => ({ value: one, text: one })),
        ]}
        onChange={onInput}
      />
    );
  }
  const isLong = inputMethod === InputMethod.TEXT || inputMethod === InputMethod.DYNAMIC_TEXT;
  return (
    <Field
      label={nameOf(field)}
      limits={[...hintsOf(field), ...methodHints(inputMethod)].join(" · ")}
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
      return [t("tasks.content.dynamic", { example: "{level}" }), length ?? ""];
    case InputMethod.NUMBER:
      return [t("tasks.content.number")];
    case InputMethod.DATE:
      return [t("form.format.day")];
    case InputMethod.TIME:
      return [t("form.format.time")];
    default:
      return [length ?? ""];
  }
}
