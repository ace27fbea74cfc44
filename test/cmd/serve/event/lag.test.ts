import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { expect, it, vi } from "vitest";
import type { LoadProgress } from "../../../../cmd/serve/event/backend.ts";
import { readEventLag } from "../../../../cmd/serve/event/lag.ts";
import { Settings } from "../../../../gen/engage/operations/v1/settings_pb.ts";
import { folderWith } from "../../config/load.ts";
import { openEventServer, trackOf } from "../../event-server.ts";

function progressOf(waitingBytes: number, recordBytes: number | undefined): LoadProgress {
  return {
    loader: { waitingBytes: async () => waitingBytes },
    lagMs: () => 2_500,
    recordBytes: () => recordBytes,
  };
}

it.each([
  [0, 100, { waitingBytes: 0, records: 0, lagMs: 0 }],
  [1_040, 100, { waitingBytes: 1_040, records: 10, lagMs: 2_500 }],
  [30, 100, { waitingBytes: 30, records: 1, lagMs: 2_500 }],
  [30, undefined, { waitingBytes: 30, records: undefined, lagMs: 2_500 }],
])("%i bytes of records of %j bytes", async (waitingBytes, recordBytes, lag) => {
  expect(await readEventLag(progressOf(waitingBytes, recordBytes))).toEqual(lag);
});

it("is unknown before anything is open, and while the spool cannot be read", async () => {
  expect(await readEventLag(undefined)).toBeUndefined();
  const loader = { waitingBytes: () => Promise.reject(new Error("away")) };
  expect(await readEventLag({ ...progressOf(1, 1), loader })).toBeUndefined();
});

const patience = { timeout: 20_000 };
const transports: readonly ((baseUrl: string) => Transport)[] = [
  (baseUrl) => createGrpcTransport({ baseUrl }),
  (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
];

it("is shown by GetHealth while records wait, about in records once some were loaded", async () => {
  const late = { events: { batch: { maxDelayMs: 2_000_000 }, spool: { minFreeBytes: 0 } } };
  const server = await openEventServer(folderWith({}), late);
  const clients = transports.map((open): Client<typeof Settings> => createClient(Settings, open(server.url)));
  const lags = () => Promise.all(clients.map(async (client) => (await client.getHealth({})).eventLag));
  const rest = async () => JSON.parse(await server.get("/v1/settings/health")).eventLag as object;
  await server.send([trackOf("a")]);
  await vi.waitFor(async () => {
    const [lag] = await lags();
    expect(lag).toMatchObject({ waitingBytes: 0n, approximateRecords: 0n });
  }, patience);
  // The next batch begins after the delay.
  for (const account of ["b", "c", "d"]) await server.send([trackOf(account)]);
  const [first, second] = await lags();
  expect(first).toMatchObject({ waitingBytes: expect.any(BigInt), approximateRecords: 3n });
  expect(second?.waitingBytes).toBe(first?.waitingBytes);
  expect(await rest()).toMatchObject({
    approximateRecords: "3",
    waitingBytes: String(first?.waitingBytes),
    lag: expect.stringMatching(/s$/),
  });
});
