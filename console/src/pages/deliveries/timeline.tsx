import { durationMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Attempt } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { Badge } from "../../controls/badge.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { Time } from "../../controls/time.tsx";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import { nameOfOutcome, outcomeTones } from "./states.ts";

export interface TimelineProps {
  readonly attempts: readonly Attempt[];
  /** The name for readers of the screen. */
  readonly label: string;
}

/** The attempts of a delivery in their order, with what the target responded. */
export function Timeline({ attempts, label }: TimelineProps) {
  if (attempts.length === 0) return <p class="muted">{t("deliveries.timeline.none")}</p>;
  return (
    <ol class="timeline" aria-label={label}>
      {attempts.map((attempt, at) => (
        // Attempts keep their places.
        <li key={at}>
          <AttemptView attempt={attempt} />
        </li>
      ))}
    </ol>
  );
}

function AttemptView({ attempt }: { readonly attempt: Attempt }) {
  const { startTime, duration, outcome, reason, status, answer, beforeReplay } = attempt;
  const name = nameOfOutcome(outcome);
  return (
    <>
      <div class="row">
        <Badge tone={outcomeTones[name]}>{t(`deliveries.outcome.${name}`)}</Badge>
        <span>{t("deliveries.attempt", { number: formatNumber(attempt.attempt) })}</span>
        {startTime !== undefined && <Time ms={timestampMs(startTime)} />}
        {duration !== undefined && (
          <span class="muted">
            {t("deliveries.ms", { ms: formatNumber(durationMs(duration), { maximumFractionDigits: 1 }) })}
          </span>
        )}
        {status !== undefined && <code>HTTP {status}</code>}
        {beforeReplay && <span class="muted">{t("deliveries.beforeReplay")}</span>}
      </div>
      {reason !== "" && (
        <p>
          <LongText text={reason} />
        </p>
      )}
      {answer !== "" && (
        <p>
          <span class="muted">{t("deliveries.answer")}</span>{" "}
          <code>
            <LongText text={answer} />
          </code>
        </p>
      )}
    </>
  );
}
