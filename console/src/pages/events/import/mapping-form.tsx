import type { Project } from "../../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { Command } from "../../../controls/copy.tsx";
import { Field, Select } from "../../../controls/field.tsx";
import { JsonView } from "../../../controls/json-view.tsx";
import { Table } from "../../../controls/table.tsx";
import { t } from "../../../texts/texts.ts";
import { commandOf, readsNumbers } from "./command.ts";
import { faultText } from "./fault-text.ts";
import {
  type ColumnType,
  columnTypes,
  isName,
  type Mapping,
  mappingFault,
  type PropertyColumn,
  type Sample,
  type Source,
  valuesOf,
  withProperties,
  wrongEvent,
} from "./mapping.ts";
import type { DecimalMark } from "./numbers.ts";
import { misfitOf, recordOf } from "./record.ts";
import { type DateOrder, isYearLast } from "./times.ts";
import { displayNamesOf, lostTitles } from "./titles.ts";

interface MappingFormProps {
  readonly project: Project;
  readonly sample: Sample;
  readonly mapping: Mapping;
  readonly onChange: (mapping: Mapping) => void;
}

/** Assigns the columns of a table to what an event has, and shows the record that the first row makes. */
export function MappingForm({ project, sample, mapping, onChange }: MappingFormProps) {
  const change = (changes: Partial<Mapping>) =>
    onChange(withProperties(sample, Object.assign({}, mapping, changes)));
  const fault = mappingFault(mapping);
  const wrong = wrongEvent(sample, mapping);
  return (
    <>
      <div class="import-fields">
        <SourceField
          label={t("import.event")}
          textLabel={t("import.event.text")}
          sample={sample}
          source={mapping.event}
          error={fault?.kind === "event" ? faultText(fault) : undefined}
          warning={wrong === undefined ? undefined : t("import.event.wrong", { name: wrong })}
          onChange={(event) => change({ event })}
        />
        <SourceField
          label={t("import.user")}
          textLabel={t("import.user.text")}
          sample={sample}
          source={mapping.user}
          error={fault?.kind === "user" ? faultText(fault) : undefined}
          onChange={(user) => change({ user })}
        />
        <TimeField sample={sample} mapping={mapping} zone={project.zone} onChange={change} />
      </div>
      <PropertyTable sample={sample} mapping={mapping} onChange={change} />
      <NumberField sample={sample} mapping={mapping} onChange={change} />
      {(fault?.kind === "twice" || fault?.kind === "property") && <p class="note bad">{faultText(fault)}</p>}
      <FirstRecord sample={sample} mapping={mapping} />
      {lostTitles(sample, mapping).length > 0 && (
        <details>
          <summary>{t("import.titles")}</summary>
          <p class="limits">{t("import.titles.lead")}</p>
          <Command text={displayNamesOf(sample, mapping, project.projectId)} />
        </details>
      )}
      <details>
        <summary>{t("import.command")}</summary>
        {!readsNumbers(sample, mapping) && <p class="limits">{t("import.command.numbers")}</p>}
        <Command text={commandOf(sample, mapping, project.projectId)} />
      </details>
    </>
  );
}

interface SourceFieldProps {
  readonly label: string;
  readonly textLabel: string;
  readonly sample: Sample;
  readonly source: Source;
  readonly error: string | undefined;
  readonly warning?: string | undefined;
  readonly onChange: (source: Source) => void;
}

/** A column, or a text for all rows. */
function SourceField({ label, textLabel, sample, source, error, warning, onChange }: SourceFieldProps) {
  return (
    <div class="stack">
      <Select
        label={label}
        value={source.kind === "column" ? String(source.index) : ""}
        options={[...columnOptions(sample), { value: "", text: t("import.allRows") }]}
        onChange={(value) =>
          onChange(value === "" ? { kind: "text", text: "" } : { kind: "column", index: Number(value) })
        }
      />
      {warning !== undefined && <p class="note warn">{warning}</p>}
      {source.kind === "text" && (
        <Field
          label={textLabel}
          value={source.text}
          error={error}
          onInput={(text) => onChange({ kind: "text", text })}
        />
      )}
    </div>
  );
}

function columnOptions({ header }: Sample) {
  return header.map((title, index) => ({
    value: String(index),
    text: title === "" ? t("import.column", { number: String(index + 1) }) : title,
  }));
}

interface TimeFieldProps extends Pick<MappingFormProps, "sample" | "mapping"> {
  readonly zone: string;
  readonly onChange: (changes: Partial<Mapping>) => void;
}

function TimeField({ sample, mapping, zone, onChange }: TimeFieldProps) {
  const orders: readonly { readonly value: DateOrder; readonly text: string }[] = [
    { value: "monthFirst", text: t("import.order.monthFirst") },
    { value: "dayFirst", text: t("import.order.dayFirst") },
  ];
  return (
    <div class="stack">
      <Select
        label={t("import.time")}
        value={String(mapping.time)}
        options={columnOptions(sample)}
        onChange={(value) => onChange({ time: Number(value) })}
      />
      {valuesOf(sample, mapping.time).some(isYearLast) && (
        <Select
          label={t("import.order")}
          value={mapping.order}
          options={orders}
          onChange={(value) => onChange({ order: value as DateOrder })}
        />
      )}
      <span class="limits">{t("import.zone", { zone })}</span>
    </div>
  );
}

/** How numbers are written, and a value that does not have the type of its column. */
function NumberField({ sample, mapping, onChange }: PropertyTableProps) {
  const marks: readonly { readonly value: DecimalMark; readonly text: string }[] = [
    { value: "point", text: "1,234.50" },
    { value: "comma", text: "1.234,50" },
  ];
  const misfit = misfitOf(sample, mapping);
  return (
    <>
      {!readsNumbers(sample, mapping) && (
        <div class="row">
          <Select
            label={t("import.mark")}
            value={mapping.mark}
            options={marks}
            onChange={(value) => onChange({ mark: value as DecimalMark })}
          />
        </div>
      )}
      {misfit !== undefined && (
        <p class="note warn">
          {t("import.misfit", { column: columnOptions(sample)[misfit.index]!.text, value: misfit.value })}
        </p>
      )}
    </>
  );
}

type PropertyTableProps = Omit<TimeFieldProps, "zone">;

function PropertyTable({ sample, mapping, onChange }: PropertyTableProps) {
  if (mapping.properties.length === 0) return null;
  const set = (index: number, changes: Partial<PropertyColumn>) =>
    onChange({
      properties: mapping.properties.map((one) =>
        one.index === index ? Object.assign({}, one, changes) : one,
      ),
    });
  const titleOf = ({ index }: PropertyColumn) => columnOptions(sample)[index]!.text;
  return (
    <Table
      caption={t("import.properties")}
      rows={mapping.properties}
      keyOf={({ index }) => String(index)}
      columns={[
        { name: "column", title: t("import.columnTitle"), isHeading: true, cell: titleOf },
        {
          name: "example",
          title: t("import.example"),
          cell: ({ index }) => <span class="import-example">{valuesOf(sample, index)[0] ?? ""}</span>,
        },
        {
          name: "name",
          title: t("import.property"),
          cell: (one) => <NameInput one={one} title={titleOf(one)} onInput={set} />,
        },
        {
          name: "type",
          title: t("import.type"),
          cell: (one) => (
            <Select
              isCompact
              label={t("import.typeOf", { column: titleOf(one) })}
              value={one.type}
              options={columnTypes.map((value) => ({ value, text: t(`events.type.${value}`) }))}
              onChange={(value) => set(one.index, { type: value as ColumnType })}
            />
          ),
        },
      ]}
    />
  );
}

interface NameInputProps {
  readonly one: PropertyColumn;
  readonly title: string;
  readonly onInput: (index: number, changes: Partial<PropertyColumn>) => void;
}

function NameInput({ one, title, onInput }: NameInputProps) {
  const isWrong = one.name !== "" && !isName(one.name);
  return (
    <input
      class="input compact"
      aria-label={t("import.propertyOf", { column: title })}
      aria-invalid={isWrong}
      title={isWrong ? t("import.name.wrong", { name: one.name }) : ""}
      placeholder={t("import.leftOut")}
      value={one.name}
      onInput={({ currentTarget }) => onInput(one.index, { name: currentTarget.value })}
    />
  );
}

function FirstRecord({ sample, mapping }: Pick<MappingFormProps, "sample" | "mapping">) {
  const { line, fault, value } = { value: "", ...recordOf(sample.rows[0]!, mapping, "1") };
  return (
    <div class="stack">
      <h3>{t("import.first")}</h3>
      {line === undefined ? (
        <p class="note warn">{t(`import.${fault!}`, { value })}</p>
      ) : (
        <JsonView label={t("import.first")} text={line} />
      )}
    </div>
  );
}
