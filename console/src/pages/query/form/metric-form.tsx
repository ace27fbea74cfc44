import { Button } from "../../../controls/button.tsx";
import { Checkbox } from "../../../controls/checkbox.tsx";
import { Select } from "../../../controls/field.tsx";
import { TextField, WordField } from "../../../filters/filter-form.tsx";
import { FilterList } from "../../../filters/filters.tsx";
import { elementsAt, listTree, numberTree, type Place, textAt, withValue } from "../../../filters/tree.ts";
import { formatNumber } from "../../../texts/formats.ts";
import { t } from "../../../texts/texts.ts";
import { aggregationWords, quotaTypesOf } from "../state/aggregations.ts";
import {
  formulaMetric,
  type MetricKind,
  metricKindOf,
  plainMetric,
  withAggregation,
  withMetricKind,
} from "../state/edits.ts";
import { FormulaField } from "./formula-field.tsx";
import { OperandForm, OperandsForm } from "./operand-form.tsx";
import type { QueryForm } from "./query-form.ts";
import { QuotaField } from "./quota-field.tsx";

/** What the query computes. */
export function MetricsForm({ form }: { readonly form: QueryForm }) {
  const { tree, names } = form;
  const metrics = elementsAt(tree, ["events"]);
  const set = (index: number, value: ReturnType<typeof plainMetric> | undefined): void =>
    form.change(withValue(tree, ["events", index], value)!);
  const event = names.events[0] ?? "";
  return (
    <fieldset class="query-part">
      <legend>{t("query.metrics")}</legend>
      {metrics.map((_metric, i) => (
        // Metrics keep their places.
        <fieldset key={i} class="item">
          <legend>{t("query.metric", { number: formatNumber(i + 1) })}</legend>
          <MetricFields form={form} metric={["events", i]} />
          {metrics.length > 1 && (
            <div>
              <Button
                kind="quiet"
                label={t("query.metric.remove", { number: formatNumber(i + 1) })}
                onClick={() => set(i, undefined)}
              >
                {t("query.remove")}
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      <div class="row">
        <Button onClick={() => set(metrics.length, plainMetric(event))}>{t("query.metric.add")}</Button>
        <Button
          kind="quiet"
          onClick={() =>
            set(
              metrics.length,
              formulaMetric(t("query.formula"), `${event}.TOTAL_TIMES / ${event}.TRIG_USER_NUM`),
            )
          }
        >
          {t("query.formula.add")}
        </Button>
      </div>
    </fieldset>
  );
}

const kinds: readonly MetricKind[] = ["event", "formula", "named"];

interface MetricFieldsProps {
  readonly form: QueryForm;
  readonly metric: Place;
}

function MetricFields({ form, metric }: MetricFieldsProps) {
  const kind = metricKindOf(form.tree, metric);
  return (
    <>
      <div class="item-fields">
        <Select
          label={t("query.kind")}
          value={kind}
          options={kinds.map((value) => ({ value, text: t(`query.kind.${value}`) }))}
          error={form.errorAt(`events[${metric[1]}].type`)}
          onChange={(value) => form.change(withMetricKind(form.tree, metric, value as MetricKind))}
        />
        <TextField
          form={form}
          place={[...metric, "eventName"]}
          label={t(kind === "event" ? "query.event" : "query.name")}
          {...(kind === "event" && {
            suggestions: [...form.names.events, "anyEvent"],
            limits: t("query.event.limits"),
          })}
        />
        {kind === "event" && <AggregationFields form={form} metric={metric} />}
        {kind === "named" && (
          <TextField
            form={form}
            place={[...metric, "metricName"]}
            label={t("query.namedMetric")}
            suggestions={form.names.metrics}
          />
        )}
      </div>
      {kind === "formula" && <FormulaField form={form} place={[...metric, "customEvent"]} />}
      <FilterList
        form={form}
        owner={metric}
        event={kind === "event" ? textAt(form.tree, [...metric, "eventName"]) : ""}
      />
      <details>
        <summary>{t("query.more")}</summary>
        <div class="item-list">
          <OtherFields form={form} metric={metric} />
        </div>
      </details>
    </>
  );
}

function AggregationFields({ form, metric }: MetricFieldsProps) {
  const word = textAt(form.tree, [...metric, "analysis"]);
  const types = quotaTypesOf(word);
  return (
    <>
      <WordField
        form={form}
        place={[...metric, "analysis"]}
        label={t("query.aggregation")}
        choices={aggregationWords.map((value) => ({ value, text: t(`query.aggregation.${value}`) }))}
        onChoose={(next) => form.change(withAggregation(form.tree, metric, next))}
      />
      {types !== undefined && <QuotaField form={form} metric={metric} types={types} />}
      {word === "PERCENTILE" && (
        <TextField
          form={form}
          place={[...metric, "analysisParams"]}
          label={t("query.percentile")}
          limits={t("query.percentile.limits")}
        />
      )}
    </>
  );
}

const formats = ["", "integer", "float", "float3", "float4", "percent"] as const;

function OtherFields({ form, metric }: MetricFieldsProps) {
  const { tree } = form;
  const split: Place = [...metric, "eventSplitIndexes"];
  const isSplit = elementsAt(tree, split).length > 0;
  const kind = metricKindOf(tree, metric);
  return (
    <>
      <div class="item-fields">
        <TextField form={form} place={[...metric, "eventNameDisplay"]} label={t("query.displayName")} />
        <WordField
          form={form}
          place={[...metric, "format"]}
          label={t("query.format")}
          choices={formats.map((value) => ({ value, text: t(`query.format.${value || "default"}`) }))}
        />
      </div>
      {kind === "event" && <OperandForm form={form} metric={metric} operand={0} />}
      {kind === "formula" && <OperandsForm form={form} metric={metric} />}
      <Checkbox
        label={t("query.split.metric")}
        isChecked={isSplit}
        onChange={(isOn) =>
          form.change(withValue(tree, split, isOn ? listTree([numberTree("0")]) : undefined)!)
        }
      />
    </>
  );
}
