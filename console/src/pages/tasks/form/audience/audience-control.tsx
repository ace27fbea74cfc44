import { CohortSchema, PushIdListSchema } from "../../../../../../gen/engage/channel/v1/task_pb.ts";
import { Field, Select } from "../../../../controls/field.tsx";
import { cohortDays, type TableWord } from "../../../../filters/column-names.ts";
import type { FilterForm } from "../../../../filters/filter-form.tsx";
import { FilterList } from "../../../../filters/filters.tsx";
import { elementsAt } from "../../../../filters/tree.ts";
import { useUserNames } from "../../../../filters/user-names.ts";
import type { Faults } from "../../../../form/faults.ts";
import { labelOf, sayLimits } from "../../../../form/say.ts";
import { t } from "../../../../texts/texts.ts";
import { type AudienceDraft, audienceKinds, usersPath } from "./audience-draft.ts";
import { SavedNumber } from "./saved-number.tsx";

export interface AudienceControlProps {
  /** The project of the users. */
  readonly projectId: bigint;
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
      return <UserFilters {...props} />;
    case "cohort":
      return <CohortFields {...props} />;
    case "analysis":
      return <AnalysisFields {...props} />;
  }
}

function AnalysisFields(props: AudienceControlProps) {
  const { audience, faults, onChange } = props;
  return (
    <>
      <SavedNumber {...props} />
      {audience.savedId === "" && (
        <Field
          label={t("tasks.audience.query")}
          limits={t("tasks.audience.query.limits")}
          rows={8}
          value={audience.query}
          error={faults.get("analysis")}
          onInput={(query) => onChange({ query })}
        />
      )}
    </>
  );
}

function CohortFields({ projectId, audience, faults, onChange }: AudienceControlProps) {
  const { name, day } = CohortSchema.field;
  const { cohorts, clusters } = useUserNames(projectId);
  const dayLimits = [t("tasks.audience.day.limits"), sayLimits(day)].join(" · ");
  return (
    <div class="form-fields">
      <Field
        label={labelOf(name)}
        limits={sayLimits(name) ?? ""}
        value={audience.cohort}
        error={faults.get("cohort.name")}
        suggestions={cohorts}
        onInput={(cohort) => onChange({ cohort })}
      />
      <Field
        label={labelOf(day)}
        limits={dayLimits}
        value={audience.day}
        error={faults.get("cohort.day")}
        suggestions={cohortDays(clusters, audience.cohort.trim())}
        onInput={(value) => onChange({ day: value })}
      />
    </div>
  );
}

const userTables: readonly TableWord[] = ["user", "cluster"];

function UserFilters({ projectId, audience, faults, onChange }: AudienceControlProps) {
  const names = useUserNames(projectId);
  const form: FilterForm = {
    tree: audience.filters,
    projectId,
    names,
    tables: userTables,
    change: (filters) => onChange({ filters }),
    errorAt: (path) => faults.get(usersPath(path)),
  };
  const isEmpty = elementsAt(audience.filters, ["filts"]).length === 0;
  return (
    <>
      {isEmpty && <p class="muted">{t("tasks.audience.all.text")}</p>}
      <FilterList form={form} owner={[]} event="" />
    </>
  );
}
