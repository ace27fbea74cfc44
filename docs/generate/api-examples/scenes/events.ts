import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Catalog } from "../../../../gen/engage/analysis/v1/catalog_pb.ts";
import { EventCollector } from "../../../../gen/engage/event/v1/event_collector_pb.ts";
import { RecordType } from "../../../../gen/engage/event/v1/record_pb.ts";
import { RecordWatcher } from "../../../../gen/engage/event/v1/record_watcher_pb.ts";
import { logins, payments, recordsOf } from "../../query-language/data.ts";
import { appid } from "../server.ts";
import { until, type World } from "../world.ts";

/** A record as SDKs send it. */
const login = {
  "#type": "track",
  "#event_name": "login",
  "#account_id": "ann",
  "#time": "2026-03-05 09:00:00",
  "#uuid": "0b0f5a3e-6c1d-4b8e-9d57-3f6f5c2a7e10",
  properties: { level: 12 },
};
const sent = JSON.stringify([login]);
const json = (text: string) => ({ contentType: "application/json", data: Buffer.from(text) });

const record = {
  type: RecordType.TRACK,
  eventName: "level_up",
  accountId: "bob",
  time: timestampFromDate(new Date("2026-03-05T10:00:00Z")),
  uuid: "5a0c8f8e-77a5-4a4e-a2b5-0c2a1d8a4f31",
  properties: { level: 4 },
};
const batch = { project: { case: "appid" as const, value: appid }, records: [record] };

/** Reports the data of the examples, and waits until it can be queried. */
export async function reportEvents({ client, url }: World): Promise<void> {
  const records = recordsOf();
  const response = await fetch(`${url}/sync_server?appid=${appid}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(records),
  });
  const text = await response.text();
  if (text !== '{"code":0}') throw new Error(`the records are refused: ${text}`);
  await until("the events are loaded", async () => {
    const { events } = await client(Catalog).listEvents({ projectId: 1n });
    const count = events.reduce((sum, event) => sum + Number(event.count), 0);
    return count === logins.length + payments.length;
  });
}

export async function playEvents({ calls, client }: World): Promise<void> {
  const { method } = EventCollector;
  await calls.unary(method.track, { ...batch, records: [record, { ...record, eventName: "level up" }] });
  const watched = { ...record, uuid: "d1f5b7a2-4a43-4d0a-9b63-8f0c7e1f2a55", eventName: "watched" };
  await calls.serverStream(
    RecordWatcher.method.watchRecords,
    { projectId: 1n, eventNames: ["watched"] },
    { count: 2, during: () => client(EventCollector).track({ ...batch, records: [watched] }) },
  );
  await calls.clientStream(method.trackStream, [
    { sequence: 1n, batch },
    {
      sequence: 2n,
      batch: { ...batch, records: [{ ...record, uuid: "9c9f7f0e-2d54-4c43-8f0a-1be0a4b0e2d7" }] },
    },
  ]);
  await calls.unary(method.ingest, { appid, body: json(sent) }, { get: { appid, data: sent } });
  await calls.refused(method.ingest, { appid, body: json(sent) }, { headers: { "content-encoding": "zip" } });
  const form = new URLSearchParams({ appid, source: "server", dryRun: "1", data: JSON.stringify(login) });
  await calls.unary(
    method.debugIngest,
    { body: { contentType: "application/x-www-form-urlencoded", data: Buffer.from(form.toString()) } },
    { get: { appid, data: JSON.stringify(login), dryRun: 1 } },
  );
  await calls.unary(method.getConfig, { appid });
  await calls.unary(method.checkAppid, { appid });
  await calls.unary(method.healthCheck, {});
}
