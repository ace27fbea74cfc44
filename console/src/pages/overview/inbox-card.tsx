import type { InboxStats } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { Badge } from "../../controls/badge.tsx";
import { Card } from "../../controls/card.tsx";
import { formatBytes } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";

/** The store of accepted messages. */
export function InboxCard({ inbox }: { readonly inbox: InboxStats }) {
  const state = inbox.writable ? (
    <Badge tone="good">{t("overview.inbox.writable")}</Badge>
  ) : (
    <Badge tone="bad">{t("overview.inbox.full")}</Badge>
  );
  return (
    <Card title={t("overview.inbox")} actions={state} isPadded>
      <dl class="pairs">
        <dt>{t("overview.inbox.used")}</dt>
        <dd class="number">{sizeOf(inbox.usedBytes)}</dd>
        <dt>{t("overview.inbox.free")}</dt>
        <dd class="number">{sizeOf(inbox.freeBytes)}</dd>
      </dl>
    </Card>
  );
}

function sizeOf(bytes: bigint | undefined): string {
  return bytes === undefined ? t("overview.inbox.unknown") : formatBytes(bytes);
}
