import { Command } from "../../controls/copy.tsx";
import { Time } from "../../controls/time.tsx";
import { hrefOf } from "../../router/router.ts";
import { serverUrl } from "../../rpc/transport.ts";
import { t, tn } from "../../texts/texts.ts";
import type { Attention } from "./totals.ts";

export interface AttentionListProps {
  readonly items: readonly Attention[];
  /** Parts of the server that do not work. */
  readonly failing: readonly { readonly name: string; readonly reason: string }[];
  /** Why the inbox accepts nothing. */
  readonly reason: string;
  readonly oldestMs: number | undefined;
  readonly nowMs: number;
}

/** What needs attention, each with what to do. */
export function AttentionList({ items, failing, reason, oldestMs, nowMs }: AttentionListProps) {
  return (
    <section class="stack" aria-label={t("overview.attention")}>
      {items.length + failing.length === 0 && <p class="note good">{t("overview.calm")}</p>}
      {failing.map((part) => (
        <div key={part.name} class="note warn">
          <strong>{t("overview.part", part)}</strong>
          <span>
            <a href={hrefOf(["settings"])}>{t("overview.part.do")}</a>
          </span>
        </div>
      ))}
      {items.map(({ kind, counts }) => {
        if (kind === "full") return <Full key={kind} reason={reason} />;
        if (kind === "waiting") return <Waiting key={kind} oldestMs={oldestMs ?? nowMs} nowMs={nowMs} />;
        return counts && <Dead key={`${counts.channel} ${counts.target}`} counts={counts} />;
      })}
    </section>
  );
}

function Full({ reason }: { readonly reason: string }) {
  return (
    <div class="note bad">
      <strong>{t("overview.full", { reason })}</strong>
      <span>{t("overview.full.do")}</span>
    </div>
  );
}

function Waiting({ oldestMs, nowMs }: { readonly oldestMs: number; readonly nowMs: number }) {
  const [before = "", after = ""] = t("overview.waiting", { time: "\0" }).split("\0");
  return (
    <div class="note warn">
      <strong>
        {before}
        <Time ms={oldestMs} nowMs={nowMs} />
        {after}
      </strong>
      <span>{t("overview.waiting.do")}</span>
      <Command text={`curl '${serverUrl}/v1/webhook/deliveries?state=DELIVERY_STATE_PENDING&page_size=10'`} />
    </div>
  );
}

function Dead({ counts }: { readonly counts: NonNullable<Attention["counts"]> }) {
  const { channel, target, dead } = counts;
  const filter = new URLSearchParams({ "filter.channel": channel, "filter.target": target });
  return (
    <div class="note bad">
      <strong>{tn("overview.dead", dead, { channel, target })}</strong>
      <span>{t("overview.dead.do")}</span>
      <Command text={`curl '${serverUrl}/v1/webhook/dead-letters?${filter}'`} />
    </div>
  );
}
