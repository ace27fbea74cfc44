import { useSignal } from "@preact/signals";
import type { Project } from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { EventCollector } from "../../../../gen/engage/event/v1/event_collector_pb.ts";
import type { RecordResult } from "../../../../gen/engage/event/v1/record_pb.ts";
import { Badge } from "../../controls/badge.tsx";
import { Button } from "../../controls/button.tsx";
import { Card } from "../../controls/card.tsx";
import { FaultNote } from "../../controls/fault-note.tsx";
import { Field } from "../../controls/field.tsx";
import { busyText } from "../../form/say.ts";
import { type Fault, faultOf } from "../../rpc/fault.ts";
import { clientOf } from "../../rpc/transport.ts";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";

const client = clientOf(EventCollector);

/** A record of now, in the zone of the project. */
function exampleOf({ zone }: Project): string {
  // The locale writes dates as records have them.
  const format = new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "medium",
    timeZone: zone,
  });
  const time = format.format(Date.now());
  return `{"#type":"track","#event_name":"login","#account_id":"ann","#time":"${time}","properties":{"level":3}}`;
}

interface Outcome {
  readonly results: readonly RecordResult[];
  readonly isDryRun: boolean;
}

/** A form that checks records or sends them. */
export function SendForm({ project }: { readonly project: Project }) {
  const text = useSignal(exampleOf(project));
  const outcome = useSignal<Outcome | undefined>(undefined);
  const fault = useSignal<Fault | undefined>(undefined);
  const isSending = useSignal(false);
  const send = async (isDryRun: boolean): Promise<void> => {
    isSending.value = true;
    outcome.value = undefined;
    fault.value = undefined;
    try {
      const jsonLines = new TextEncoder().encode(text.peek());
      const of = { case: "projectId", value: project.projectId } as const;
      const { results } = await client.track({ project: of, jsonLines, dryRun: isDryRun });
      outcome.value = { results, isDryRun };
    } catch (error) {
      fault.value = faultOf(error);
    }
    isSending.value = false;
  };
  return (
    <Card title={t("events.tab.send")} isPadded>
      <form
        class="events-send"
        onSubmit={(event) => {
          event.preventDefault();
          void send(false);
        }}
      >
        <Field
          label={t("events.records")}
          limits={t("events.records.limits")}
          rows={6}
          value={text.value}
          onInput={(value) => {
            text.value = value;
          }}
        />
        <div class="events-actions">
          <Button onClick={() => void send(true)} obstacle={busyText(isSending.value)}>
            {t("events.check")}
          </Button>
          <Button kind="main" type="submit" obstacle={busyText(isSending.value)}>
            {t("events.send")}
          </Button>
        </div>
        <div aria-live="polite">
          {fault.value !== undefined && <FaultNote fault={fault.value} />}
          {outcome.value !== undefined && <Results outcome={outcome.value} />}
        </div>
      </form>
    </Card>
  );
}

function Results({ outcome }: { readonly outcome: Outcome }) {
  return (
    <ol class="events-results">
      {outcome.results.map((result, at) => (
        // Results keep their places.
        <li key={at}>
          <span class="muted">{t("events.record", { number: formatNumber(at + 1) })}</span>
          <ResultView result={result} isDryRun={outcome.isDryRun} />
        </li>
      ))}
    </ol>
  );
}

function ResultView({ result, isDryRun }: { readonly result: RecordResult; readonly isDryRun: boolean }) {
  const { outcome } = result;
  if (outcome.case === "refused") {
    return (
      <>
        <Badge tone="bad">{t("events.verdict.refused")}</Badge>
        <span>{outcome.value.message}</span>
      </>
    );
  }
  const dropped = outcome.case === "accepted" ? outcome.value.dropped : [];
  return (
    <>
      <Badge tone={dropped.length > 0 ? "warn" : "good"}>
        {t(isDryRun ? "events.valid" : "events.verdict.accepted")}
      </Badge>
      {dropped.map(({ name, message }) => (
        <span key={name}>
          <strong>{name}</strong> {message}
        </span>
      ))}
    </>
  );
}
