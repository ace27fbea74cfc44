import { equals } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { readJsonTree } from "../../../console/src/controls/json-tree.ts";
import { readMessage } from "../../../console/src/filters/read-message.ts";
import { EventQuerySchema } from "../../../gen/engage/analysis/v1/query_pb.ts";
import { generateRequest } from "../../reference/generate-request.ts";
import { createRandom } from "../../reference/random.ts";
import { scenes } from "../../reference/scenes.ts";
import { seed } from "../../reference/seed.ts";
import { readBody } from "../../services/analysis/rest/read-body.ts";

const read = (json: string) => readMessage(EventQuerySchema, readJsonTree(json)!);

test(`random requests are read as the server reads them, TEST_SEED=${seed}`, () => {
  const random = createRandom(seed);
  for (const scene of scenes) {
    for (let i = 0; i < 100; i++) {
      const json = JSON.stringify(generateRequest(random, scene));
      const { message, faults } = read(json);
      const { query } = readBody(EventQuerySchema, json);
      expect(faults).toEqual([]);
      expect(equals(EventQuerySchema, message, { ...query, ignoredFields: [] }), json).toBe(true);
    }
  }
});

const least = '"projectId":1,"eventView":{},"events":[]';

test.each([
  ['{"projectId":9223372036854775807}', { projectId: 2n ** 63n - 1n }],
  ['{"projectId":"17"}', { projectId: 17n }],
  ['{"zoneOffset":"5.5","limit":"7","useCache":false}', { zoneOffset: 5.5, limit: 7, useCache: false }],
  ['{"eventView":{"filts":[{"ftv":[9007199254740993,true,"x"]}]}}', undefined],
  ['{"projectId":3,"eventView":null,"limit":null}', { projectId: 3n }],
])("%s", (json, values) => {
  const { message, faults } = read(json);
  expect(faults).toEqual([]);
  expect(message).toMatchObject(values ?? {});
});

test("an unknown format has no effect", () => {
  const { message, ignored } = read('{"events":[{"format":"money"},{"format":"Percent"}]}');
  expect(ignored).toEqual(["events[0].format"]);
  expect(message.events.map(({ format }) => format)).toEqual([0, 4]);
});

test("literals keep all their digits", () => {
  const { message } = read('{"eventView":{"filts":[{"ftv":[9007199254740993,1.50,true]}]}}');
  expect(message.eventView?.filts[0]?.ftv).toEqual(["9007199254740993", "1.50", "true"]);
});

describe("a fault names the field that the server names", () => {
  test.each([
    ['"eventView":{"timeParticleSize":"fortnight"}', "eventView.timeParticleSize", "word"],
    ['"eventView":[]', "eventView", "object"],
    ['"events":[{"filts":{}}]', "events[0].filts", "list"],
    ['"events":[{"eventName":5}]', "events[0].eventName", "text"],
    ['"events":[{"filts":[{"ftv":[{}]}]}]', "events[0].filts[0].ftv[0]", "scalar"],
    ['"useCache":1', "useCache", "boolean"],
    ['"limit":1.5', "limit", "wholeNumber"],
    ['"limit":"many"', "limit", "wholeNumber"],
    ['"projectId":0', "projectId", "wholeNumber"],
    ['"zoneOffset":"east"', "zoneOffset", "number"],
  ] as const)("%s", (member, field, rule) => {
    const json = `{${least},${member}}`;
    const { faults } = read(json);
    expect(faults).toMatchObject([{ field, rule }]);
    expect(readBody(EventQuerySchema, json).refused).toMatch(
      new RegExp(`(?:^|; )${field.replace(/[[\].]/g, "\\$&")}: `),
    );
  });

  test("and lists the words of its vocabulary", () => {
    const [fault] = read('{"eventView":{"timeParticleSize":"fortnight"}}').faults;
    expect(fault).toMatchObject({
      value: '"fortnight"',
      valid: expect.arrayContaining(["minute5", "total"]),
    });
  });
});

test("members without a field have no effect and are named, as by the server", () => {
  const json = `{${least},"x":1,"eventView":{"firstDayOfWeek":1},"ignoredFields":["y"]}`;
  const { ignored, faults } = read(json);
  expect(faults).toEqual([]);
  expect(ignored).toEqual(["x", "eventView.firstDayOfWeek", "ignoredFields"]);
  expect(readBody(EventQuerySchema, json).query.ignoredFields.sort()).toEqual([...ignored].sort());
});
