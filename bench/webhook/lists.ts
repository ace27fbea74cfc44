import { collectPage } from "../../console/src/rpc/collect-page.ts";
import {
  type Delivery,
  DeliveryState,
  type ListDeliveriesRequest,
} from "../../gen/engage/webhook/v1/delivery_pb.ts";
import { median } from "../harness/compare.ts";
import { openClient, sendMessages, settleMost, type Webhooks } from "./fill.ts";
import { startService } from "./servers.ts";

/** The first port; each size of batches has its own. */
const firstPort = 7361;
const barMs = 1_000;
/** As many rows as the console shows at once. */
const pageSize = 50;

export interface Size {
  readonly deliveries: number;
  /** Messages of one batch. */
  readonly perBatch: number;
}

/** Measures what the console's page of deliveries calls first, with many deliveries in the inbox. */
export async function measureLists(
  { deliveries, perBatch }: Size,
  rounds: number,
  inbox: object,
): Promise<void> {
  const port = firstPort + perBatch;
  await using _service = await startService(port, { demo: ["queue"] }, { inbox, isOpen: true });
  const client = openClient(port);
  await sendMessages(client, deliveries, perBatch);
  await settleMost(client, deliveries);
  const rows = [];
  for (const [name, call] of Object.entries(await callsOf(client))) {
    const times: number[] = [];
    let found = 0;
    for (let round = 0; round < rounds; round++) {
      const startMs = performance.now();
      found = await call();
      times.push(performance.now() - startMs);
    }
    const worst = Math.max(...times);
    rows.push({
      call: name,
      rows: found,
      "ms, median": median(times).toFixed(1),
      "ms, longest": worst.toFixed(1),
      bar: worst <= barMs ? "kept" : "MISSED",
    });
  }
  console.log(`${deliveries} deliveries in batches of ${perBatch}`);
  console.table(rows);
}

type Listed = Pick<ListDeliveriesRequest, "state"> & {
  readonly filter: NonNullable<Parameters<Webhooks["listDeliveries"]>[0]["filter"]>;
};

/** The calls by name; each returns the number of rows. */
async function callsOf(client: Webhooks): Promise<Readonly<Record<string, () => Promise<number>>>> {
  const list =
    (filter: Listed["filter"], state: DeliveryState = DeliveryState.UNSPECIFIED) =>
    async (): Promise<number> => {
      const page = await collectPage<Delivery>(pageSize, "", async (size, pageToken) => {
        const response = await client.listDeliveries({ filter, state, pageSize: size, pageToken });
        return { rows: response.deliveries, nextToken: response.nextPageToken };
      });
      return page.rows.length;
    };
  const replay = (request: Parameters<Webhooks["replayDeadLetters"]>[0]) => async (): Promise<number> =>
    Number((await client.replayDeadLetters({ ...request, dryRun: true })).count);
  const { batches } = await client.listBatches({ pageSize: 1 });
  const { batchId } = batches[0]!;
  const found = await client.getBatch({ batchId });
  const { deliveryId } = found.deliveries[0]!;
  return {
    GetStats: async () => (await client.getStats({})).targets.length,
    ListDeliveries: list({}),
    "ListDeliveries of a state: dead": list({}, DeliveryState.DEAD),
    "ListDeliveries of a state: pending": list({}, DeliveryState.PENDING),
    "ListDeliveries of a state: delivered": list({}, DeliveryState.DELIVERED),
    "ListDeliveries of a reason": list({ reason: "HTTP 503" }),
    "ListDeliveries of a reason that is none": list({ reason: "HTTP 404" }),
    "ListDeliveries of a request id": list({ requestId: "r-7" }),
    "ListDeliveries of a push id, newest": list({ pushId: found.deliveries[0]!.pushId }),
    "ListDeliveries of a push id that is none": list({ pushId: "nobody" }),
    "ListDeliveries of a target that is none": list({ target: "none" }),
    ListBatches: async () => (await client.listBatches({ pageSize })).batches.length,
    GetBatch: async () => (await client.getBatch({ batchId })).deliveries.length,
    GetDelivery: async () => (await client.getDelivery({ deliveryId })).delivery!.timeline.length,
    ListRefusals: async () => (await client.listRefusals({})).refusals.length,
    "ReplayDeadLetters, count of all": replay({ all: true }),
    "ReplayDeadLetters, count of a reason": replay({ filter: { reason: "HTTP 503" } }),
    "ReplayDeadLetters, count of a request id": replay({ filter: { requestId: "r-20" } }),
  };
}
