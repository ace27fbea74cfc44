import { expect, it } from "vitest";
import { DeadLetterKind } from "../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { trackOf } from "../../cmd/event-server.ts";
import { openForAll } from "../../open-for-all.ts";
import { overRest } from "./calls.ts";
import { keep, openDeadLetterServer, storedUsers } from "./server.ts";

const server = openForAll(openDeadLetterServer);
const kind = DeadLetterKind.RECORD;
const file = "deadletters/events.ndjson";

it("what is refused again stays a dead letter, with the reason", async () => {
  const { data, url } = server();
  const calls = overRest(url);
  const misnamed = JSON.stringify(trackOf("a", { "#event_name": "log in" }));
  await keep(data, file, "project 1", "event_name", misnamed);
  await keep(data, file, "project 1", "number_range", JSON.stringify(trackOf("a")));
  await keep(data, file, "project 7", "event_name", JSON.stringify(trackOf("a")));
  await keep(data, "deadletters/parser.ndjson", "unknown", "no_format", "a line");
  expect(await calls.replay({ kind, reason: "event_name" })).toMatchObject({
    replayed: "0",
    refused: "2",
    firstRefusal: expect.stringContaining("#event_name"),
  });
  expect(await calls.replay({ kind, reason: "number_range" })).toMatchObject({
    refused: "1",
    firstRefusal: "the record is stored without the number, a replay would store it twice",
  });
  expect(await calls.replay({ kind: DeadLetterKind.PARSER, reason: "no_format" })).toMatchObject({
    refused: "1",
    firstRefusal: expect.stringContaining('"unknown"'),
  });
  expect((await calls.count({ kind }))["count"]).toBe("3");
});

it("records that are good are stored while their neighbours become dead letters of their own", async () => {
  const { data, url } = server();
  const calls = overRest(url);
  const both = JSON.stringify([trackOf("good"), trackOf("bad", { "#event_name": "log in" })]);
  await keep(data, file, "project 1", "shared", both);
  expect(await calls.replay({ kind, reason: "shared" })).toMatchObject({ replayed: "1", refused: "0" });
  await expect.poll(() => storedUsers(url), { timeout: 10_000 }).toContain("good");
  await expect
    .poll(async () => (await calls.list({ kind, text: "log in" }))["deadLetters"])
    .toContainEqual(expect.objectContaining({ source: "event", projectId: "1" }));
});
