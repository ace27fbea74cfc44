import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { createErrorMapping } from "../../../base/rpc/map-errors.ts";
import { quoteText } from "../../../base/text/quote.ts";
import type { ReportClickRequest } from "../../../gen/engage/webhook/v1/click_pb.ts";
import type { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import type { DeliveryDetail } from "../../../store/inbox/inbox.ts";
import { type RecordSink, RecordsUnavailableError } from "../../../store/records/records.ts";
import type { ClicksConfig } from "../config.ts";
import { type Click, encodeClick } from "./record.ts";

export interface ClickOptions {
  readonly config: ClicksConfig;
  readonly sink: Pick<RecordSink, "append">;
  /** Finds a delivery; null if it is unknown or no longer stored. */
  readonly findDelivery: (deliveryId: string) => Promise<Pick<DeliveryDetail, "pushId" | "receipt"> | null>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newUuid: () => string;
}

/** Creates the method that reports clicks. */
export function createClickMethod(
  options: ClickOptions,
): Pick<ServiceImpl<typeof WebhookReceiver>, "reportClick"> {
  return {
    reportClick: (request) =>
      mapErrors(async () => {
        const click = await readClick(request, options);
        await options.sink.append(encodeClick(click));
        return { uuid: click.uuid, eventName: click.eventName };
      }),
  };
}

const maxUuidLength = 128;
const maxIdLength = 1_024;
/** 9999-12-31T23:59:59.999Z */
const maxTimeMs = 253_402_300_799_999;

async function readClick(request: ReportClickRequest, options: ClickOptions): Promise<Click> {
  const { config, now, newUuid } = options;
  const delivery = request.deliveryId === "" ? undefined : await options.findDelivery(request.deliveryId);
  if (delivery === null) {
    const id = quoteText(request.deliveryId);
    const message = `delivery_id ${id} is unknown or no longer stored, give the receipt instead`;
    throw new ConnectError(message, Code.NotFound);
  }
  const eventName = request.eventName || config.event;
  if (!/^[A-Za-z][A-Za-z0-9_]{0,49}$/.test(eventName)) {
    const valid = "a letter and up to 49 letters, digits or underscores";
    refuseField("event_name", `${quoteText(eventName)} is not valid, valid is ${valid}`);
  }
  const timeMs = request.time === undefined ? now() : timestampMs(request.time);
  if (!(timeMs >= 0 && timeMs <= maxTimeMs)) {
    refuseField("time", "is out of range, valid is 1970-01-01T00:00:00Z to the end of 9999");
  }
  const uuid = request.uuid || newUuid();
  if (uuid.length > maxUuidLength) refuseField("uuid", `is longer than ${maxUuidLength} characters`);
  return {
    uuid,
    eventName,
    timeMs,
    ...userOf(request, config, delivery?.pushId),
    appid: config.appid,
    receipt: receiptOf(request, delivery?.receipt),
    properties: propertiesOf(request),
  };
}

function userOf(
  request: ReportClickRequest,
  { pushId: meaning }: ClicksConfig,
  deliveredTo: string | undefined,
): Pick<Click, "accountId" | "distinctId"> {
  const { accountId, distinctId } = request;
  const given = meaning === "account_id" ? accountId : distinctId;
  if (request.pushId !== "" && given !== "") {
    refuseField("push_id", `is the ${meaning}, valid is only one of them`);
  }
  const id = given || request.pushId || deliveredTo || "";
  const user = meaning === "account_id" ? { accountId: id, distinctId } : { accountId, distinctId: id };
  if (user.accountId === "" && user.distinctId === "") {
    refuseField("push_id", "is required, or account_id or distinct_id");
  }
  if (user.accountId.length > maxIdLength || user.distinctId.length > maxIdLength) {
    refuseField("push_id", `is longer than ${maxIdLength} characters`);
  }
  return user;
}

function receiptOf(request: ReportClickRequest, delivered: Uint8Array | undefined): Uint8Array {
  if (request.rawReceipt.length > 0) return request.rawReceipt;
  if (request.opsReceiptProperties !== undefined) return toJsonBytes(request.opsReceiptProperties);
  if (delivered !== undefined) return delivered;
  refuseField("#ops_receipt_properties", "is required, or raw_receipt or delivery_id");
}

function propertiesOf(request: ReportClickRequest): Uint8Array | undefined {
  if (request.rawProperties.length > 0) return request.rawProperties;
  return request.properties && toJsonBytes(request.properties);
}

function toJsonBytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

const { mapErrors } = createErrorMapping((error) =>
  error instanceof RecordsUnavailableError ? "the click store is unavailable" : undefined,
);
