import { useEffect } from "preact/hooks";
import { AnalysisProxy } from "../../../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { TimeParticleSize } from "../../../../../../gen/engage/analysis/v1/event_view_pb.ts";
import { type EventQuery, EventQuerySchema } from "../../../../../../gen/engage/analysis/v1/query_pb.ts";
import type { EventAnalysis } from "../../../../../../gen/engage/analysis/v1/result_pb.ts";
import { Select } from "../../../../controls/field.tsx";
import { readJsonTree } from "../../../../controls/json-tree.ts";
import { Loaded } from "../../../../controls/loaded.tsx";
import { readMessage } from "../../../../filters/read-message.ts";
import { emptyObject } from "../../../../filters/tree.ts";
import type { Faults } from "../../../../form/faults.ts";
import { findQuery, savedClient } from "../../../../results/saved-queries.ts";
import { labelsOf, type ResultRow, type ResultTable, tableOf } from "../../../../results/series.ts";
import { pinRanges, usersQuery } from "../../../../results/snapshot.ts";
import { rowName, valueText } from "../../../../results/words.ts";
import { useLoaded } from "../../../../rpc/load-once.ts";
import { clientOf } from "../../../../rpc/transport.ts";
import { t } from "../../../../texts/texts.ts";
import type { AudienceDraft } from "./audience-draft.ts";

const client = clientOf(AnalysisProxy);
const maxSaved = 1_000;

interface SavedNumberProps {
  readonly projectId: bigint;
  readonly audience: AudienceDraft;
  readonly faults: Faults;
  readonly onChange: (changes: Partial<AudienceDraft>) => void;
}

/** Chooses a saved query of the project, and one number of its present result. */
export function SavedNumber(props: SavedNumberProps) {
  const { projectId, audience, onChange } = props;
  // Without the list a query is typed.
  const { data } = useLoaded(String(projectId), (signal) =>
    savedClient.listSavedQueries({ projectId, pageSize: maxSaved }, { signal }),
  );
  const saved = data?.savedQueries ?? [];
  return (
    <>
      <div class="form-fields">
        <Select
          label={t("tasks.audience.saved")}
          value={audience.savedId}
          options={[
            { value: "", text: t("tasks.audience.saved.none") },
            ...saved.map(({ queryId, name }) => ({ value: queryId, text: name })),
          ]}
          onChange={(savedId) => onChange({ savedId, savedRow: "", savedStep: "", savedUsers: undefined })}
        />
      </div>
      {audience.savedId !== "" && <OfResult key={audience.savedId} {...props} />}
    </>
  );
}

interface Run {
  readonly query: EventQuery;
  readonly result: EventAnalysis;
}

async function runSaved(projectId: bigint, queryId: string, signal: AbortSignal): Promise<Run> {
  const { requestJson } = await findQuery(projectId, queryId);
  const { message: query } = readMessage(EventQuerySchema, readJsonTree(requestJson) ?? emptyObject);
  const { data } = await client.analyzeEvents({ query }, { signal });
  return { query, result: data! };
}

function OfResult(props: SavedNumberProps) {
  const { projectId, audience } = props;
  const { data, fault, reload } = useLoaded(audience.savedId, (signal) =>
    runSaved(projectId, audience.savedId, signal),
  );
  return (
    <Loaded data={data} fault={fault} onRetry={reload}>
      {(run) => <NumberFields {...props} run={run} table={tableOf(run.result, [])} />}
    </Loaded>
  );
}

interface NumberFieldsProps extends SavedNumberProps {
  readonly run: Run;
  readonly table: ResultTable;
}

function NumberFields({ run, table, audience, faults, onChange }: NumberFieldsProps) {
  const row = table.rows.find(({ key }) => key === audience.savedRow) ?? table.rows[0];
  const labels = row === undefined ? [] : labelsOf(table, row);
  const step = labels.includes(audience.savedStep) ? audience.savedStep : (labels.at(-1) ?? "");
  const choose = (key: string, label: string): void =>
    onChange({ savedRow: key, savedStep: label, savedUsers: usersOf(run, table, key, label) });
  useEffect(() => choose(row?.key ?? "", step), [run]);
  if (row === undefined) return <p class="muted">{t("query.noRows")}</p>;
  const fault = faults.get("analysis");
  return (
    <>
      <div class="form-fields">
        <Select
          label={t("tasks.audience.saved.row")}
          value={row.key}
          options={table.rows.map((one) => ({ value: one.key, text: rowName(one) }))}
          onChange={(key) => choose(key, step)}
        />
        <Select
          label={t("tasks.audience.saved.step")}
          value={step}
          options={labels.map((label, i) => ({
            value: label,
            text: `${label}: ${valueText(row.values[i], row.format)}`,
          }))}
          error={fault}
          onChange={(label) => choose(row.key, label)}
        />
      </div>
      <p class="muted">
        {t(doesMove(run.query, row) ? "tasks.audience.saved.moves" : "tasks.audience.saved.stays")}
      </p>
    </>
  );
}

/** A number of one step is that of its day; one of the whole range has the days of the query on the day of the run. */
function doesMove({ eventView }: EventQuery, { isCompared }: ResultRow): boolean {
  return eventView?.timeParticleSize === TimeParticleSize.TOTAL && !isCompared;
}

function usersOf({ query, result }: Run, table: ResultTable, key: string, bucket: string) {
  const row = table.rows.find((one) => one.key === key);
  if (row === undefined) return undefined;
  const pinned = doesMove(query, row) ? query : pinRanges(query, result.info);
  return usersQuery(pinned, { row, bucket, value: undefined });
}
