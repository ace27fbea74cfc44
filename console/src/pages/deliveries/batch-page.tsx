import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import type { Delivery } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { GetBatchResponse, ReceivedBatch } from "../../../../gen/engage/webhook/v1/received_batch_pb.ts";
import { mayWrite } from "../../app/session.ts";
import { Badge } from "../../controls/badge.tsx";
import { Button } from "../../controls/button.tsx";
import { textOf } from "../../controls/bytes/bytes.ts";
import { Card } from "../../controls/card.tsx";
import { DialogButton } from "../../controls/dialog/dialog-button.tsx";
import { type Fact, FactList } from "../../controls/fact-list.tsx";
import { JsonView } from "../../controls/json-view.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { RefreshButton } from "../../controls/refresh-button.tsx";
import { Time } from "../../controls/time.tsx";
import { ReplayDialog } from "../../replay/replay-dialog.tsx";
import { hrefOf } from "../../router/router.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { formatBytes, formatNumber } from "../../texts/formats.ts";
import { t, tn } from "../../texts/texts.ts";
import { BatchParts } from "./batch-parts.tsx";
import { client } from "./client.ts";
import { StateBadge } from "./delivery-list.tsx";
import { elementsOf, failuresOf } from "./elements.ts";
import { DeliveryLink, shortOf } from "./links.tsx";
import { messagesOf } from "./replay.ts";
import { Timeline } from "./timeline.tsx";

/** One batch as it was received, with each of its messages and what became of it. */
export function BatchPage({ batchId }: { readonly batchId: string }) {
  const { data, fault, reload } = useLoaded(batchId, (signal) => client.getBatch({ batchId }, { signal }));
  return (
    <>
      <PageHead title={t("deliveries.batch")} lead={batchId} />
      <p>
        <a href={hrefOf(["deliveries"], { show: "batches" })}>{t("deliveries.back.batches")}</a>
      </p>
      <Loaded data={data} fault={fault} onRetry={reload}>
        {(response) => (
          <>
            {response.batch !== undefined && <FactsCard batch={response.batch} onChanged={reload} />}
            <Elements response={response} />
            <BatchParts response={response} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface FactsProps {
  readonly batch: ReceivedBatch;
  readonly onChanged: () => void;
}

function FactsCard({ batch, onChanged }: FactsProps) {
  const { channel, requestId, acceptedTime, bodyBytes } = batch;
  const facts: readonly Fact[] = [
    [t("deliveries.channel"), channel],
    [t("deliveries.request"), requestId && <LongText text={requestId} />],
    [t("deliveries.accepted"), acceptedTime && <Time ms={timestampMs(acceptedTime)} nowMs={Date.now()} />],
    [t("deliveries.size"), formatBytes(bodyBytes)],
  ];
  return (
    <Card title={t("deliveries.facts")} actions={<Actions batch={batch} onChanged={onChanged} />} isPadded>
      <FactList facts={facts} />
    </Card>
  );
}

function Actions({ batch, onChanged }: FactsProps) {
  const { batchId, targets } = batch;
  return (
    <div class="row">
      <RefreshButton onClick={onChanged} />
      <DialogButton
        kind="main"
        text={t("deliveries.replay.batch")}
        isOffered={mayWrite.value && targets.some(({ dead }) => dead > 0n)}
        dialog={(close) => (
          <ReplayDialog
            title={t("deliveries.replay.batch")}
            page="deliveries"
            selected={messagesOf(client, { batchId })}
            onClose={() => {
              close();
              onChanged();
            }}
          />
        )}
      />
    </div>
  );
}

/** Messages that are shown at first, and that each click adds. */
const messagesAtOnce = 25;

function Elements({ response }: { readonly response: GetBatchResponse }) {
  const limit = useSignal(messagesAtOnce);
  const texts = elementsOf(textOf(response.body) ?? "");
  const failures = failuresOf(response.reply && textOf(response.reply));
  const ofElements = Map.groupBy(response.deliveries, ({ index }) => index);
  const left = texts.length - limit.value;
  return (
    <Card title={tn("deliveries.messages", texts.length)} isPadded>
      {texts.length === 0 && <p class="muted">{t("deliveries.messages.none")}</p>}
      <ol class="deliveries-elements">
        {texts.slice(0, limit.value).map((text, at) => (
          // Messages keep their places.
          <li key={at}>
            <Element
              index={at + 1}
              text={text}
              failure={failures.get(at + 1)}
              deliveries={ofElements.get(at + 1) ?? []}
            />
          </li>
        ))}
      </ol>
      {left > 0 && (
        <Button
          onClick={() => {
            limit.value += messagesAtOnce;
          }}
        >
          {tn("deliveries.messages.more", left)}
        </Button>
      )}
    </Card>
  );
}

interface ElementProps {
  readonly index: number;
  /** The message as it was sent. */
  readonly text: string;
  /** Why it was not accepted. */
  readonly failure: string | undefined;
  readonly deliveries: readonly Delivery[];
}

function Element({ index, text, failure, deliveries }: ElementProps) {
  const number = formatNumber(index);
  return (
    <section class="deliveries-element" aria-label={t("deliveries.message.number", { number })}>
      <h3>{t("deliveries.message.number", { number })}</h3>
      {failure !== undefined && (
        <p class="row">
          <Badge tone="bad">{t("deliveries.message.refused")}</Badge>
          <LongText text={failure} />
        </p>
      )}
      <details>
        <summary>{t("deliveries.message")}</summary>
        <JsonView text={text} label={t("deliveries.message.content", { number })} />
      </details>
      {deliveries.map((delivery) => (
        <div key={delivery.deliveryId} class="deliveries-target">
          <p class="row">
            <StateBadge state={delivery.state} />
            <DeliveryLink
              id={delivery.deliveryId}
              text={t("deliveries.at", { pushId: shortOf(delivery.pushId), target: delivery.target })}
            />
          </p>
          <Timeline
            attempts={delivery.timeline}
            label={t("deliveries.at", { pushId: shortOf(delivery.pushId), target: delivery.target })}
          />
        </div>
      ))}
    </section>
  );
}
