import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Delivery, DeliveryState } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { mayWrite } from "../../app/session.ts";
import { textOf } from "../../controls/bytes/bytes.ts";
import { Card } from "../../controls/card.tsx";
import { DialogButton } from "../../controls/dialog/dialog-button.tsx";
import { type Fact, FactList } from "../../controls/fact-list.tsx";
import { JsonView } from "../../controls/json-view.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { Time } from "../../controls/time.tsx";
import { ReplayDialog } from "../../replay/replay-dialog.tsx";
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
import { messagesOf } from "./replay.ts";
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
            <FactsCard delivery={delivery} onReplayed={live.refresh} />
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

function FactsCard({ delivery, onReplayed }: FactsProps) {
  return (
    <Card
      title={t("deliveries.facts")}
      actions={<ReplayButton delivery={delivery} onReplayed={onReplayed} />}
      isPadded
    >
      <FactList facts={factsOf(delivery)} />
    </Card>
  );
}

function factsOf(delivery: Delivery): readonly Fact[] {
  const { channel, target, pushId, requestId, batchId, index, state, reason, attempts } = delivery;
  const { acceptedTime, dueTime } = delivery;
  const batchText = t("deliveries.batch.element", { batchId, index: formatNumber(index) });
  const isLeased = state === DeliveryState.LEASED;
  return [
    [t("deliveries.state"), <StateBadge state={state} />],
    [t("deliveries.reason"), reason && <LongText text={reason} />],
    [t("deliveries.push"), <LongText text={pushId} />],
    [t("deliveries.channel"), channel],
    [t("deliveries.target"), target],
    [t("deliveries.batch"), <BatchLink id={batchId} text={batchText} />],
    [t("deliveries.request"), requestId && <LongText text={requestId} />],
    [t("deliveries.accepted"), acceptedTime && <Time ms={timestampMs(acceptedTime)} nowMs={Date.now()} />],
    [t("deliveries.attempts"), attempts !== undefined && formatNumber(attempts)],
    [
      t(isLeased ? "deliveries.leaseEnd" : "deliveries.due"),
      dueTime && <Time ms={timestampMs(dueTime)} nowMs={Date.now()} />,
    ],
  ];
}

function ReplayButton({ delivery, onReplayed }: FactsProps) {
  const { deliveryId, state } = delivery;
  return (
    <DialogButton
      kind="main"
      text={t("deliveries.replay.one")}
      isOffered={mayWrite.value && state === DeliveryState.DEAD}
      dialog={(close) => (
        <ReplayDialog
          title={t("deliveries.replay.one")}
          page="deliveries"
          selected={messagesOf(client, { deliveryId })}
          onReplayed={onReplayed}
          onClose={close}
        />
      )}
    />
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
