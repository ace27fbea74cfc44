import { type Comparator, ComparatorSchema } from "../../../../../gen/engage/analysis/v1/filter_pb.ts";
import { CohortSchema, PushIdListSchema } from "../../../../../gen/engage/channel/v1/task_pb.ts";
import { Button } from "../../../controls/button.tsx";
import { Field, Select } from "../../../controls/field.tsx";
import { type Faults, faultsOf } from "../../../form/faults.ts";
import { choicesOf, labelOf, sayLimits } from "../../../form/say.ts";
import { t } from "../../../texts/texts.ts";
import {
  type AudienceDraft,
  audienceKinds,
  type Condition,
  hasValues,
  isForUsers,
  newCondition,
} from "./audience-draft.ts";

export interface AudienceControlProps {
  readonly audience: AudienceDraft;
  /** By paths within the audience. */
  readonly faults: Faults;
  readonly onChange: (changes: Partial<AudienceDraft>) => void;
}

/** Chooses the recipients of a task. */
export function AudienceControl(props: AudienceControlProps) {
  const { audience, onChange } = props;
  return (
    <div class="stack">
      <div class="form-fields">
        <Select
          label={t("tasks.audience.kind")}
          value={audience.kind}
          options={audienceKinds.map((value) => ({ value, text: t(`tasks.audience.${value}`) }))}
          onChange={(kind) => onChange({ kind: kind as AudienceDraft["kind"] })}
        />
      </div>
      <Source {...props} />
    </div>
  );
}

function Source(props: AudienceControlProps) {
  const { audience, faults, onChange } = props;
  switch (audience.kind) {
    case "pushIds":
      return (
        <Field
          label={labelOf(PushIdListSchema.field.pushIds)}
          limits={sayLimits(PushIdListSchema.field.pushIds) ?? ""}
          rows={4}
          value={audience.pushIds}
          error={faults.get("push_ids") ?? faults.get("push_ids.push_ids")}
          onInput={(pushIds) => onChange({ pushIds })}
        />
      );
    case "all":
      return <p class="muted">{t("tasks.audience.all.text")}</p>;
    case "users":
      return <Conditions {...props} />;
    case "cohort":
      return <CohortFields {...props} />;
    case "analysis":
      return (
        <Field
          label={t("tasks.audience.query")}
          limits={t("tasks.audience.query.limits")}
          rows={8}
          value={audience.query}
          error={faults.get("analysis")}
          onInput={(query) => onChange({ query })}
        />
      );
  }
}

function CohortFields({ audience, faults, onChange }: AudienceControlProps) {
  const { name, day } = CohortSchema.field;
  const dayLimits = [t("tasks.audience.day.limits"), sayLimits(day)].join(" · ");
  return (
    <div class="form-fields">
      <Field
        label={labelOf(name)}
        limits={sayLimits(name) ?? ""}
        value={audience.cohort}
        error={faults.get("cohort.name")}
        onInput={(cohort) => onChange({ cohort })}
      />
      <Field
        label={labelOf(day)}
        limits={dayLimits}
        value={audience.day}
        error={faults.get("cohort.day")}
        onInput={(value) => onChange({ day: value })}
      />
    </div>
  );
}

function Conditions({ audience, faults, onChange }: AudienceControlProps) {
  const { conditions, isAny } = audience;
  return (
    <div class="form-list">
      {conditions.length > 1 && (
        <div class="form-fields">
          <Select
            label={t("tasks.audience.relation")}
            value={isAny ? "any" : "all"}
            options={[
              { value: "all", text: t("tasks.audience.relation.all") },
              { value: "any", text: t("tasks.audience.relation.any") },
            ]}
            onChange={(value) => onChange({ isAny: value === "any" })}
          />
        </div>
      )}
      {conditions.map((condition, i) => (
        // Conditions keep their places while they are edited.
        <fieldset key={i}>
          <legend>{t("form.entry", { label: t("tasks.condition"), number: String(i + 1) })}</legend>
          <ConditionFields
            condition={condition}
            faults={faultsOf(faults, `users.filts[${i}]`)}
            onChange={(changed) => onChange({ conditions: conditions.with(i, changed) })}
          />
          <div>
            <Button
              kind="quiet"
              label={t("form.removeEntry", { label: t("tasks.condition"), number: String(i + 1) })}
              onClick={() => onChange({ conditions: conditions.toSpliced(i, 1) })}
            >
              {t("form.remove")}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button
          label={t("form.addEntry", { label: t("tasks.condition") })}
          onClick={() => onChange({ conditions: [...conditions, newCondition] })}
        >
          {t("form.add")}
        </Button>
      </div>
    </div>
  );
}

interface ConditionFieldsProps {
  readonly condition: Condition;
  readonly faults: Faults;
  readonly onChange: (condition: Condition) => void;
}

function ConditionFields({ condition, faults, onChange }: ConditionFieldsProps) {
  const { property, comparator, values } = condition;
  const literal = [...faults].find(([path]) => path.startsWith("ftv"))?.[1];
  return (
    <div class="form-fields">
      <Field
        label={t("tasks.condition.column")}
        value={property}
        error={faults.get("column_name")}
        onInput={(value) => onChange({ ...condition, property: value })}
      />
      <Select
        label={t("tasks.condition.comparator")}
        value={String(comparator)}
        options={choicesOf(ComparatorSchema).filter(({ value }) => isForUsers(Number(value) as Comparator))}
        onChange={(value) => onChange({ ...condition, comparator: Number(value) as Comparator })}
      />
      {hasValues(comparator) && (
        <Field
          label={t("tasks.condition.values")}
          limits={t("form.lines")}
          rows={2}
          value={values}
          error={faults.get("comparator") ?? literal}
          onInput={(value) => onChange({ ...condition, values: value })}
        />
      )}
    </div>
  );
}
