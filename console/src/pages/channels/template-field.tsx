import { ContentFieldSchema, InputMethod } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { type Draft, setValue } from "../../form/draft.ts";
import { FieldControl, type FormPart } from "../../form/field-control.tsx";
import { linesOf } from "../../form/limits.ts";
import { RowsControl } from "../../form/rows-control.tsx";
import { labelOf } from "../../form/say.ts";

const { field: fields } = ContentFieldSchema;

/** One field of the messages of a channel; which settings it has depends on how its value is entered. */
export function TemplateField(part: FormPart) {
  const { draft, faults, onChange } = part;
  const method = Number(draft["inputMethod"]);
  const isArray = method === InputMethod.ARRAY_ROW;
  const columns = linesOf(typeof draft["columns"] === "string" ? draft["columns"] : "");
  const rows = ((draft["defaultRows"] as Draft | undefined)?.["rows"] ?? []) as readonly Draft[];
  return (
    <div class="stack">
      <div class="form-fields">
        <FieldControl field={fields.name} {...part} />
        <FieldControl field={fields.displayName} {...part} />
        <FieldControl field={fields.inputMethod} {...part} />
        {method === InputMethod.DROPDOWN && <FieldControl field={fields.options} {...part} />}
        {isArray && <FieldControl field={fields.columns} {...part} />}
        {!isArray && <FieldControl field={fields.defaultValue} {...part} />}
        <FieldControl field={fields.description} {...part} />
        <FieldControl field={fields.required} {...part} />
      </div>
      {isArray && columns.length > 0 && (
        <RowsControl
          label={labelOf(fields.defaultRows)}
          columns={columns}
          rows={rows.map(({ cells }) => (cells ?? {}) as Readonly<Record<string, string>>)}
          error={faults.get("default_rows.rows")}
          onChange={(changed) =>
            onChange(setValue("defaultRows", { rows: changed.map((cells) => ({ cells })) }))
          }
        />
      )}
    </div>
  );
}
