import type { ProbeResult } from "../../../../gen/engage/channel/v1/receiver_checker_pb.ts";
import { Badge, type Tone } from "../../controls/badge.tsx";
import { Card } from "../../controls/card.tsx";
import { CopyButton } from "../../controls/copy.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { formatNumber } from "../../texts/formats.ts";
import { t, tn } from "../../texts/texts.ts";
import { faultsOf, type ProbeRow, type ProbeState, type Run, rowsOf, stateOf } from "./run.ts";

interface ReportProps {
  readonly run: Run;
  readonly isRunning: boolean;
}

/** What the checks have found so far: the sums, what to do about each fault, and all probes. */
export function Report({ run, isRunning }: ReportProps) {
  return (
    <>
      <Progress run={run} isRunning={isRunning} />
      {faultsOf(run).map((result) => (
        <FaultView key={result.probe?.probeId} result={result} />
      ))}
      <Card title={t("receivers.probes")}>
        <Table
          caption={t("receivers.probes")}
          columns={columns()}
          rows={rowsOf(run, isRunning)}
          keyOf={({ id }) => id}
        />
      </Card>
    </>
  );
}

function Progress({ run, isRunning }: ReportProps) {
  const { probes, results, summary } = run;
  const counts = { done: formatNumber(results.length), all: formatNumber(probes.length) };
  if (summary === undefined) {
    const label = isRunning ? t("receivers.progress", counts) : t("receivers.stopped", counts);
    return (
      <div class={isRunning ? "note" : "note warn"} role="status">
        <span>{label}</span>
        {isRunning && <progress aria-label={label} value={results.length} max={probes.length} />}
      </div>
    );
  }
  return (
    <div class={summary.correct ? "note good" : "note bad"} role="status">
      <strong>{summary.correct ? t("receivers.correct") : tn("receivers.broken", summary.failed)}</strong>
      <span>
        {t("receivers.sums", {
          passed: formatNumber(summary.passed),
          recommendations: formatNumber(summary.recommendations),
          notes: formatNumber(summary.notes),
          skipped: formatNumber(summary.skipped),
        })}
      </span>
    </div>
  );
}

const tones: Readonly<Record<ProbeState, Tone>> = {
  waiting: "plain",
  running: "plain",
  passed: "good",
  broken: "bad",
  recommended: "warn",
  noted: "plain",
  skipped: "plain",
  cancelled: "plain",
};

function StateBadge({ state }: { readonly state: ProbeState }) {
  return <Badge tone={tones[state]}>{t(`receivers.state.${state}`)}</Badge>;
}

function columns(): readonly Column<ProbeRow>[] {
  return [
    { name: "state", title: t("receivers.result"), cell: ({ state }) => <StateBadge state={state} /> },
    {
      name: "probe",
      title: t("receivers.probe"),
      isHeading: true,
      cell: ({ id, title }) => (
        <span class="receivers-probe">
          {title}
          <code class="muted">{id}</code>
        </span>
      ),
    },
    {
      name: "detail",
      title: t("receivers.found"),
      cell: ({ detail }) => <span class="receivers-detail">{detail}</span>,
    },
  ];
}

/** A broken rule: what to do first, then the call that shows it. */
function FaultView({ result }: { readonly result: ProbeResult }) {
  const { probe, detail, failure } = result;
  if (probe === undefined || failure === undefined) return null;
  return (
    <Card title={probe.title} isPadded actions={<StateBadge state={stateOf(result)} />}>
      <dl class="receivers-fault">
        <dt>{t("receivers.found")}</dt>
        <dd>{detail}</dd>
        <dt>{t("receivers.change")}</dt>
        <dd>
          <strong>{failure.change}</strong>
        </dd>
        <dt>{t("receivers.rule")}</dt>
        <dd>{failure.rule}</dd>
      </dl>
      <details>
        <summary>{t("receivers.call")}</summary>
        <Exchange label={t("receivers.request")} text={failure.request} />
        <Exchange label={t("receivers.response")} text={failure.response} />
      </details>
    </Card>
  );
}

function Exchange({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <section class="receivers-exchange" aria-label={label}>
      <header>
        <strong>{label}</strong>
        <CopyButton text={text} label={`${t("copy.copy")}: ${label}`} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard. */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
