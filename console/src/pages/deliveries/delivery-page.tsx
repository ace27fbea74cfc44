import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import { type Delivery, DeliveryState } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { mayWrite } from "../../app/session.ts";
import { Button } from "../../controls/button.tsx";
import { textOf } from "../../controls/bytes/bytes.ts";
import { Card } from "../../controls/card.tsx";
import { JsonView } from "../../controls/json-view.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { Time } from "../../controls/time.tsx";
import { hrefOf } from "../../router/router.ts";
import { useLive } from "../../rpc/live.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import { BatchParts } from "./batch-parts.tsx";
import { client } from "./client.ts";
import { StateBadge } from "./delivery-list.tsx";
import { elementsOf } from "./elements.ts";
import { BatchLink } from "./links.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { Timeline } from "./timeline.tsx";

/** One delivery: its state and attempts, live, with its message and the batch as it was sent. */
export function DeliveryPage({ deliveryId }: { readonly deliveryId: string }) {
  const live = useLive(deliveryId, async (signal) => {
    const { delivery } = await client.getDelivery({ deliveryId }, { signal });
    return delivery;
  });
  return (
    <>
      <PageHead title={t("deliveries.delivery")} lead={deliveryId} />
      <p>
        <a href={hrefOf(["deliveries"])}>{t("deliveries.back")}</a>
      </p>
      <Loaded data={live.data.value} fault={live.fault.value} onRetry={live.refresh}>
        {(delivery) => (
          <>
            <Facts delivery={delivery} onReplayed={live.refresh} />
            <Card title={t("deliveries.timeline")} isPadded>
              <Timeline attempts={delivery.timeline} label={t("deliveries.timeline")} />
            </Card>
            <BatchOf batchId={delivery.batchId} index={delivery.index} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface FactsProps {
  readonly delivery: Delivery;
  readonly onReplayed: () => void;
}

function Facts({ delivery, onReplayed }: FactsProps) {
  const { channel, target, pushId, requestId, batchId, index, state, reason, attempts } = delivery;
  const { acceptedTime, dueTime } = delivery;
  return (
    <Card
      title={t("deliveries.facts")}
      actions={<ReplayButton delivery={delivery} onReplayed={onReplayed} />}
      isPadded
    >
      <dl class="pairs-list">
        <dt>{t("deliveries.state")}</dt>
        <dd>
          <StateBadge state={state} />
        </dd>
        {reason !== "" && (
          <>
            <dt>{t("deliveries.reason")}</dt>
            <dd>
              <LongText text={reason} />
            </dd>
          </>
        )}
        <dt>{t("deliveries.push")}</dt>
        <dd>
          <LongText text={pushId} />
        </dd>
        <dt>{t("deliveries.channel")}</dt>
        <dd>{channel}</dd>
        <dt>{t("deliveries.target")}</dt>
        <dd>{target}</dd>
        <dt>{t("deliveries.batch")}</dt>
        <dd>
          <BatchLink
            id={batchId}
            text={t("deliveries.batch.element", { batchId, index: formatNumber(index) })}
          />
        </dd>
        {requestId !== "" && (
          <>
            <dt>{t("deliveries.request")}</dt>
            <dd>
              <LongText text={requestId} />
            </dd>
          </>
        )}
        {acceptedTime !== undefined && (
          <>
            <dt>{t("deliveries.accepted")}</dt>
            <dd>
              <Time ms={timestampMs(acceptedTime)} nowMs={Date.now()} />
            </dd>
          </>
        )}
        {attempts !== undefined && (
          <>
            <dt>{t("deliveries.attempts")}</dt>
            <dd>{formatNumber(attempts)}</dd>
          </>
        )}
        {dueTime !== undefined && (
          <>
            <dt>{t(state === DeliveryState.LEASED ? "deliveries.leaseEnd" : "deliveries.due")}</dt>
            <dd>
              <Time ms={timestampMs(dueTime)} nowMs={Date.now()} />
            </dd>
          </>
        )}
      </dl>
    </Card>
  );
}

function ReplayButton({ delivery, onReplayed }: FactsProps) {
  const isAsked = useSignal(false);
  const isOffered = mayWrite.value && delivery.state === DeliveryState.DEAD;
  return (
    <>
      {isOffered && (
        <Button
          kind="main"
          onClick={() => {
            isAsked.value = true;
          }}
        >
          {t("deliveries.replay.one")}
        </Button>
      )}
      {isAsked.value && (
        <ReplayDialog
          title={t("deliveries.replay.one")}
          filter={{ deliveryId: delivery.deliveryId }}
          onReplayed={onReplayed}
          onClose={() => {
            isAsked.value = false;
          }}
        />
      )}
    </>
  );
}

/** The message as it was sent, and the batch around it. */
function BatchOf({ batchId, index }: Pick<Delivery, "batchId" | "index">) {
  const { data, fault, reload } = useLoaded(batchId, (signal) => client.getBatch({ batchId }, { signal }));
  return (
    <Loaded data={data} fault={fault} onRetry={reload}>
      {(response) => (
        <>
          <Card title={t("deliveries.message")} isPadded>
            <JsonView
              text={elementsOf(textOf(response.body) ?? "")[index - 1] ?? ""}
              label={t("deliveries.message.content", { number: formatNumber(index) })}
            />
          </Card>
          <BatchParts response={response} />
        </>
      )}
    </Loaded>
  );
}
