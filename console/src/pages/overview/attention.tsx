import { Time } from "../../controls/time.tsx";
import { hrefOf } from "../../router/router.ts";
import { formatNumber } from "../../texts/formats.ts";
import { t, tn } from "../../texts/texts.ts";
import type { Attention, Letters } from "./totals.ts";

export interface AttentionListProps {
  readonly items: readonly Attention[];
  /** Parts of the server that do not work. */
  readonly failing: readonly { readonly name: string; readonly reason: string }[];
  /** Why the inbox accepts nothing. */
  readonly reason: string;
  readonly nowMs: number;
}

/** What needs attention, each with the place where to go on. */
export function AttentionList({ items, failing, reason, nowMs }: AttentionListProps) {
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
      {items.map((item) => (
        <Item key={keyOf(item)} item={item} reason={reason} nowMs={nowMs} />
      ))}
    </section>
  );
}

function keyOf(item: Attention): string {
  if (item.kind === "dead") return `dead ${item.counts.channel} ${item.counts.target}`;
  if (item.kind === "letters") return `letters ${item.letters.kind}`;
  return item.kind === "breaker" ? `breaker ${item.target}` : item.kind;
}

interface ItemProps extends Pick<AttentionListProps, "reason" | "nowMs"> {
  readonly item: Attention;
}

function Item({ item, reason, nowMs }: ItemProps) {
  switch (item.kind) {
    case "full":
      return <Full reason={reason} />;
    case "dead":
      return <Dead counts={item.counts} />;
    case "breaker":
      return (
        <div class="note bad">
          <strong>
            <Since
              text={t("overview.breaker", { target: item.target, time: "\0" })}
              ms={item.sinceMs}
              nowMs={nowMs}
            />
          </strong>
          <a href={hrefOf(["deliveries"], { state: "pending", target: item.target })}>
            {t("overview.breaker.do")}
          </a>
        </div>
      );
    case "waiting":
      return (
        <div class="note warn">
          <strong>
            <Since text={t("overview.waiting", { time: "\0" })} ms={item.sinceMs} nowMs={nowMs} />
          </strong>
          <a href={hrefOf(["deliveries"], { state: "pending" })}>{t("overview.waiting.do")}</a>
        </div>
      );
    case "lag":
      return (
        <div class="note warn">
          <strong>
            <Since text={t("overview.lag", { time: "\0" })} ms={item.sinceMs} nowMs={nowMs} />
          </strong>
          <a href={hrefOf(["settings"])}>{t("overview.lag.do")}</a>
        </div>
      );
    case "letters":
      return (
        <div class="note warn">
          <strong>{lettersText(item.letters)}</strong>
          <a href={hrefOf(["dead-letters"], { kind: item.letters.kind })}>{t("overview.letters.do")}</a>
        </div>
      );
    case "refused":
      return (
        <div class="note warn">
          <strong>
            <Since
              text={tn("overview.refused", item.count, { time: "\0" })}
              ms={item.newestMs}
              nowMs={nowMs}
            />
          </strong>
          <a href={hrefOf(["deliveries"], { show: "refused" })}>{t("overview.refused.do")}</a>
        </div>
      );
  }
}

function lettersText({ kind, count, isAtLeast }: Letters): string {
  if (isAtLeast) return t(`overview.letters.atLeast.${kind}`, { count: formatNumber(count) });
  return tn(`overview.letters.${kind}`, count);
}

interface SinceProps {
  /** A sentence with a NUL character where the time stands. */
  readonly text: string;
  readonly ms: number;
  readonly nowMs: number;
}

function Since({ text, ms, nowMs }: SinceProps) {
  const [before = "", after = ""] = text.split("\0");
  return (
    <>
      {before}
      <Time ms={ms} nowMs={nowMs} />
      {after}
    </>
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

function Dead({ counts }: Pick<Extract<Attention, { readonly kind: "dead" }>, "counts">) {
  const { channel, target, dead } = counts;
  return (
    <div class="note bad">
      <strong>{tn("overview.dead", dead, { channel, target })}</strong>
      <a href={hrefOf(["deliveries"], { state: "dead", channel, target })}>{t("overview.dead.do")}</a>
    </div>
  );
}
