import type { Project } from "../../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { Badge } from "../../../controls/badge.tsx";
import { Button } from "../../../controls/button.tsx";
import { FaultNote } from "../../../controls/fault-note.tsx";
import { saveCsv } from "../../../controls/file/save-file.ts";
import { Table } from "../../../controls/table.tsx";
import { hrefOf } from "../../../router/router.ts";
import { formatNumber } from "../../../texts/formats.ts";
import { t, tn } from "../../../texts/texts.ts";
import { mainEvent, type Sample } from "./mapping.ts";
import type { Run } from "./runner.ts";
import type { Progress, RowFinding } from "./send-rows.ts";
import { csvOf, readSample } from "./table-file.ts";

interface ProgressViewProps {
  readonly project: Project;
  readonly sample: Sample;
  readonly run: Run;
}

/** How far a check or an import is, what it has found, and where to go on. */
export function ProgressView({ project, sample, run }: ProgressViewProps) {
  const progress = run.progress.value;
  const hasEnded = !run.isRunning.value;
  return (
    <div class="stack">
      {!hasEnded && (
        <div class="row">
          <progress max={1} value={run.share.value} aria-label={t("import.progress")} />
          <span class="number">{tn("import.rows", progress.rows)}</span>
          <Button onClick={run.cancel}>{t("dialog.cancel")}</Button>
        </div>
      )}
      <div aria-live="polite" class="stack">
        {typeof run.fault.value === "string" && <p class="note bad">{run.fault.value}</p>}
        {typeof run.fault.value === "object" && (
          <>
            <FaultNote fault={run.fault.value} />
            <p>{t("import.again")}</p>
          </>
        )}
        {hasEnded && run.fault.value === undefined && <Outcome project={project} sample={sample} run={run} />}
      </div>
      {progress.findings.length > 0 && <Findings run={run} progress={progress} />}
    </div>
  );
}

function Outcome({ project, sample, run }: ProgressViewProps) {
  const { accepted, refused } = run.progress.value;
  const key = run.isDryRun ? "import.checked" : run.isCancelled.value ? "import.cancelled" : "import.done";
  const query = { project: String(project.projectId) };
  return (
    <>
      <p class={refused === 0 ? "note good" : "note warn"}>
        {t(key, { accepted: formatNumber(accepted), refused: formatNumber(refused) })}
      </p>
      {!run.isDryRun && accepted > 0 && (
        <div class="row">
          <a
            class="button main"
            href={hrefOf(["query"], Object.assign({ event: mainEvent(sample, run.mapping) }, query))}
          >
            {t("import.chart")}
          </a>
          <a class="button" href={hrefOf(["events"], query)}>
            {t("import.catalogue")}
          </a>
        </div>
      )}
    </>
  );
}

function Findings({ run, progress }: { readonly run: Run; readonly progress: Progress }) {
  const save = async (): Promise<void> => {
    const { header } = await readSample(run.file);
    saveCsv(`refused-${run.file.name}`, [csvOf(header, progress.refusedRows)]);
  };
  return (
    <>
      <Table<RowFinding>
        caption={t("import.findings")}
        rows={progress.findings}
        keyOf={({ kind, message }) => `${kind} ${message}`}
        columns={[
          {
            name: "kind",
            title: t("events.verdict"),
            cell: ({ kind }) => (
              <Badge tone={kind === "refused" ? "bad" : "warn"}>{t(`events.verdict.${kind}`)}</Badge>
            ),
          },
          { name: "message", title: t("import.reason"), isHeading: true, cell: ({ message }) => message },
          {
            name: "first",
            title: t("import.firstRow"),
            isNumber: true,
            cell: ({ firstRow }) => formatNumber(firstRow),
          },
          {
            name: "count",
            title: t("import.count"),
            isNumber: true,
            cell: ({ count }) => formatNumber(count),
          },
        ]}
      />
      {progress.refusedRows.length > 0 && (
        <div class="row">
          <Button onClick={() => void save()}>{t("import.saveRefused")}</Button>
        </div>
      )}
    </>
  );
}
