import { type Client, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { EventCollector } from "../../../../gen/engage/event/v1/event_collector_pb.ts";
import type { CollectorServer } from "../collector-server.ts";

export const clientOf = ({ url }: CollectorServer): Client<typeof EventCollector> =>
  createClient(EventCollector, createGrpcTransport({ baseUrl: url }));
export const project = { case: "projectId", value: 1n } as const;
export const lines = (...records: unknown[]): Uint8Array =>
  Buffer.from(records.map((record) => JSON.stringify(record)).join("\n"));
export const record = {
  "#account_id": "a",
  "#type": "track",
  "#event_name": "e",
  "#time": "2026-01-02 03:04:05",
  properties: { price: 1 },
};
