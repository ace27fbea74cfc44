import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, it, vi } from "vitest";
import { TrackStreamRequestSchema } from "../../../../gen/engage/event/v1/track_pb.ts";
import { RecordsUnavailableError } from "../../../../store/records/records.ts";
import { openCollector } from "../collector-server.ts";
import { clientOf, lines, project, record } from "./track-client.ts";

describe("TrackStream", () => {
  const batch = (sequence: bigint) =>
    create(TrackStreamRequestSchema, { sequence, batch: { project, jsonLines: lines(record) } });

  it("acknowledges in order what is on disk, with several under way", async () => {
    const server = await openCollector();
    const disks: PromiseWithResolvers<void>[] = [];
    server.onDisk = () => {
      const disk = Promise.withResolvers<void>();
      disks.push(disk);
      return disk.promise;
    };
    const acknowledged: bigint[] = [];
    const requests = async function* () {
      yield* [batch(1n), batch(2n), batch(5n)];
      await vi.waitFor(() => expect(disks).toHaveLength(3));
      disks[2]!.resolve();
      disks[1]!.resolve();
      disks[0]!.resolve();
    };
    for await (const { sequence, result } of clientOf(server).trackStream(requests())) {
      expect(result?.accepted).toBe(1);
      acknowledged.push(sequence);
    }
    expect(acknowledged).toEqual([1n, 2n, 5n]);
    expect(server.lines).toHaveLength(3);
  });

  it("waits for each acknowledgement, if the caller does", async () => {
    const server = await openCollector();
    let sent = 0n;
    let turn = Promise.withResolvers<void>();
    const requests = async function* () {
      for (sent = 1n; sent <= 3n; sent++) {
        yield batch(sent);
        await turn.promise;
        turn = Promise.withResolvers();
      }
    };
    const seen: [bigint, number][] = [];
    for await (const { sequence } of clientOf(server).trackStream(requests())) {
      seen.push([sequence, server.lines.length]);
      turn.resolve();
    }
    expect(seen).toEqual([
      [1n, 1],
      [2n, 2],
      [3n, 3],
    ]);
  });

  it.each<[string, MessageInitShape<typeof TrackStreamRequestSchema>, string]>([
    ["the same sequence", { sequence: 1n, batch: {} }, "sequence 1 is not higher than the one before, 1"],
    ["no batch", { sequence: 2n }, "batch of sequence 2 is missing"],
    ["no project", { sequence: 2n, batch: {} }, "project is missing, give project_id or appid"],
  ])("ends with an error at %s, after what was acknowledged", async (_name, request, rawMessage) => {
    const server = await openCollector();
    const requests = async function* () {
      yield batch(1n);
      yield create(TrackStreamRequestSchema, request);
    };
    const acknowledged: bigint[] = [];
    const read = async (): Promise<void> => {
      for await (const { sequence } of clientOf(server).trackStream(requests())) acknowledged.push(sequence);
    };
    await expect(read()).rejects.toMatchObject({ code: Code.InvalidArgument, rawMessage });
    expect(acknowledged).toEqual([1n]);
  });

  it("ends when nothing can be kept", async () => {
    const server = await openCollector();
    server.onDisk = () => Promise.reject(new RecordsUnavailableError("disk full"));
    const requests = async function* () {
      yield* [batch(1n), batch(2n)];
    };
    const read = async (): Promise<void> => {
      for await (const _ of clientOf(server).trackStream(requests())) expect.unreachable();
    };
    await expect(read()).rejects.toMatchObject({ code: Code.Unavailable });
  });
});
