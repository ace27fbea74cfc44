import {
  type BatchSignature,
  type GetBatchResponse,
  SignatureScheme,
} from "../../../../gen/engage/webhook/v1/received_batch_pb.ts";
import { Badge } from "../../controls/badge.tsx";
import { BytesView } from "../../controls/bytes/bytes-view.tsx";
import { Card } from "../../controls/card.tsx";
import { FactList } from "../../controls/fact-list.tsx";
import { t } from "../../texts/texts.ts";

/** What the platform sent and what it got: the signature, the bytes and the reply. */
export function BatchParts({ response }: { readonly response: GetBatchResponse }) {
  const { body, damage, reply, signature } = response;
  return (
    <>
      <Card title={t("deliveries.signature")} isPadded>
        <SignatureView signature={signature} />
      </Card>
      <Card title={t("deliveries.body")} isPadded>
        {damage === "" ? <BytesView bytes={body} label={t("deliveries.body")} /> : <p>{damage}</p>}
      </Card>
      <Card title={t("deliveries.reply")} isPadded>
        {reply === undefined ? (
          <p class="muted">{t("deliveries.reply.none")}</p>
        ) : (
          <BytesView bytes={reply} label={t("deliveries.reply")} />
        )}
      </Card>
    </>
  );
}

function SignatureView({ signature }: { readonly signature: BatchSignature | undefined }) {
  const { scheme, header = "", value = "", matches, cause = "" } = signature ?? {};
  if (scheme === SignatureScheme.CALLER) return <p>{t("deliveries.signature.caller")}</p>;
  if (scheme === SignatureScheme.NONE) return <p>{t("deliveries.signature.off")}</p>;
  if (scheme !== SignatureScheme.HMAC_SHA1) return <p>{t("deliveries.signature.unknown")}</p>;
  return (
    <div class="stack">
      <p>
        <Match matches={matches} />
      </p>
      {cause !== "" && (
        <p>
          <span class="muted">{t("deliveries.cause")}</span> {cause}
        </p>
      )}
      <FactList
        facts={[
          [t("deliveries.signature.header"), <code>{header}</code>],
          [t("deliveries.signature.value"), <code>{value}</code>],
        ]}
      />
    </div>
  );
}

function Match({ matches }: { readonly matches: boolean | undefined }) {
  if (matches === undefined) return <Badge tone="plain">{t("deliveries.signature.unchecked")}</Badge>;
  return (
    <Badge tone={matches ? "good" : "bad"}>
      {t(matches ? "deliveries.signature.matches" : "deliveries.signature.differs")}
    </Badge>
  );
}
