import { Checkbox } from "../../../controls/checkbox.tsx";
import { Field } from "../../../controls/field.tsx";
import { elementsAt, type Place, textAt, valueAt, withValue, wordTree } from "../../../filters/tree.ts";
import { t } from "../../../texts/texts.ts";
import { withNumber, withSplit } from "../state/edits.ts";
import { GroupFields } from "./group-form.tsx";
import type { QueryForm } from "./query-form.ts";

/** What a query rarely needs: the split, limits, its zone and its switches. */
export function MoreForm({ form }: { readonly form: QueryForm }) {
  const { tree } = form;
  const split: Place = ["eventView", "eventSplit"];
  const hasSplit = valueAt(tree, [...split, "groupByProp"]) !== undefined;
  const needsSplit = elementsAt(tree, ["events"]).some(
    (_metric, i) => elementsAt(tree, ["events", i, "eventSplitIndexes"]).length > 0,
  );
  const flag = (place: Place, isOn: boolean): void =>
    form.change(withValue(tree, place, isOn ? wordTree(true) : undefined)!);
  const approximate: Place = ["eventView", "queryFeature", "approximateOn"];
  return (
    <details class="query-part" open={needsSplit && !hasSplit}>
      <summary>{t("query.more")}</summary>
      <div class="item-list">
        <Checkbox
          label={t("query.split")}
          isChecked={hasSplit}
          onChange={(isOn) => form.change(withSplit(tree, isOn))}
        />
        {hasSplit && <GroupFields form={form} group={[...split, "groupByProp"]} />}
        <div class="item-fields">
          <NumberField
            form={form}
            place={["limit"]}
            label={t("query.limit")}
            limits={t("query.limit.limits")}
          />
          <NumberField
            form={form}
            place={["timeoutSeconds"]}
            label={t("query.timeout")}
            limits={t("query.timeout.limits")}
          />
          <NumberField
            form={form}
            place={["zoneOffset"]}
            label={t("query.zone")}
            limits={t("query.zone.limits")}
          />
        </div>
        <Checkbox
          label={t("query.approximate")}
          isChecked={textAt(tree, approximate) === "true"}
          onChange={(isOn) => flag(approximate, isOn)}
        />
        <Checkbox
          label={t("query.cache")}
          isChecked={textAt(tree, ["useCache"]) !== "false"}
          onChange={(isOn) => form.change(withValue(tree, ["useCache"], isOn ? undefined : wordTree(false))!)}
        />
      </div>
    </details>
  );
}

interface NumberFieldProps {
  readonly form: QueryForm;
  readonly place: Place;
  readonly label: string;
  readonly limits: string;
}

/** A number; while it is typed, what is none stays as it is typed. */
function NumberField({ form, place, label, limits }: NumberFieldProps) {
  return (
    <Field
      label={label}
      limits={limits}
      value={textAt(form.tree, place)}
      error={form.errorAt(place.join("."))}
      onInput={(text) => form.change(withNumber(form.tree, place, text))}
    />
  );
}
