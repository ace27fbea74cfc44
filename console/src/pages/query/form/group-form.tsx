import { Button } from "../../../controls/button.tsx";
import { ColumnFields } from "../../../filters/column-fields.tsx";
import { typeOfColumn } from "../../../filters/column-names.ts";
import { TextField, WordField } from "../../../filters/filter-form.tsx";
import { elementsAt, type Place, textAt, withValue } from "../../../filters/tree.ts";
import { formatNumber } from "../../../texts/formats.ts";
import { t } from "../../../texts/texts.ts";
import { emptyGroup } from "../state/edits.ts";
import type { QueryForm } from "./query-form.ts";

/** The columns by which all metrics are grouped. */
export function GroupForm({ form }: { readonly form: QueryForm }) {
  const owner: Place = ["eventView", "groupBy"];
  const groups = elementsAt(form.tree, owner);
  const set = (index: number, value: ReturnType<typeof emptyGroup> | undefined): void =>
    form.change(withValue(form.tree, [...owner, index], value)!);
  return (
    <fieldset class="query-part">
      <legend>{t("query.groups")}</legend>
      {groups.map((_group, i) => (
        // Groups keep their places.
        <fieldset key={i} class="item">
          <legend>{t("query.group", { number: formatNumber(i + 1) })}</legend>
          <GroupFields form={form} group={[...owner, i]} />
          <div>
            <Button
              kind="quiet"
              label={t("query.group.remove", { number: formatNumber(i + 1) })}
              onClick={() => set(i, undefined)}
            >
              {t("query.remove")}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button onClick={() => set(groups.length, emptyGroup())}>{t("query.group.add")}</Button>
      </div>
    </fieldset>
  );
}

const divisions = ["discrete", "def", "custom"] as const;

/** A column, and how its numbers or times are divided into groups. */
export function GroupFields({ form, group }: { readonly form: QueryForm; readonly group: Place }) {
  const { tree, names } = form;
  const type = typeOfColumn(
    names,
    textAt(tree, [...group, "tableType"]),
    textAt(tree, [...group, "columnName"]),
  );
  const isDivided = textAt(tree, [...group, "propertyRange"]) !== "";
  const division = textAt(tree, [...group, "propertyRangeType"]);
  const mayDivide = type === "number" || type === "time" || isDivided || division !== "";
  return (
    <div class="item-fields">
      <ColumnFields form={form} owner={group} />
      {mayDivide && (
        <>
          <WordField
            form={form}
            place={[...group, "propertyRangeType"]}
            label={t("query.division")}
            missing="discrete"
            choices={divisions.map((value) => ({ value, text: t(`query.division.${value}`) }))}
          />
          {(division === "custom" || isDivided) && (
            <TextField
              form={form}
              place={[...group, "propertyRange"]}
              label={t("query.boundaries")}
              limits={t("query.boundaries.limits")}
            />
          )}
        </>
      )}
    </div>
  );
}
