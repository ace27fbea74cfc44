import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { setValue } from "../../console/src/form/draft.ts";
import {
  channelOf,
  draftOfChannel,
  isStoredSecret,
  newChannelDraft,
  newHeader,
} from "../../console/src/pages/channels/channel-draft.ts";
import { ChannelSchema, InputMethod } from "../../gen/engage/channel/v1/channel_pb.ts";

const stored = create(ChannelSchema, {
  name: "mail",
  channelId: "c1",
  projectId: 1n,
  url: "https://a.example",
  pushIdProperty: "mail",
  authentication: { secretIsSet: true, headerName: "X-Sign" },
  customHeaders: [{ name: "X-Key", valueIsSet: true }],
  delivery: { batchSize: 5 },
  etag: "v2",
});

test("a new channel signs its requests and has all defaults", () => {
  const channel = channelOf(newChannelDraft(1n), undefined);
  expect(channel).toEqual(create(ChannelSchema, { projectId: 1n, authentication: {}, delivery: {} }));
});

describe("a saved channel", () => {
  const draft = draftOfChannel(stored);

  test("that is not changed stays as it is", () => expect(channelOf(draft, stored)).toEqual(stored));

  test("that is signed no more says so", () => {
    const channel = channelOf(setValue("authentication", undefined)(draft), stored);
    expect(channel.authentication).toMatchObject({ off: true, secret: "" });
  });

  test("that loses its headers says so", () => {
    expect(channelOf(setValue("customHeaders", [])(draft), stored).noCustomHeaders).toBe(true);
  });

  test("keeps secrets where none is entered", () => {
    expect(isStoredSecret(draft, "authentication.secret")).toBe(true);
    expect(isStoredSecret(draft, "custom_headers[0].value")).toBe(true);
    expect(isStoredSecret(draft, "custom_headers[1].value")).toBe(false);
    expect(isStoredSecret(setValue("customHeaders", [newHeader])(draft), "custom_headers[0].value")).toBe(
      false,
    );
    expect(isStoredSecret(draft, "name")).toBe(false);
  });
});

test("what was entered for another kind of value is left out", () => {
  const entered = {
    options: ["a"],
    columns: ["id"],
    defaultValue: "x",
    defaultRows: { rows: [{ cells: { id: "1" } }] },
  };
  const methods = [InputMethod.TEXT, InputMethod.DROPDOWN, InputMethod.ARRAY_ROW];
  const contentTemplate = methods.map((inputMethod) => ({ name: "a", inputMethod, ...entered }));
  const draft = draftOfChannel(create(ChannelSchema, { contentTemplate }));
  const kept = channelOf(draft, undefined).contentTemplate.map((field) => [
    field.options.length,
    field.columns.length,
    field.defaultValue,
    field.defaultRows?.rows.length,
  ]);
  expect(kept).toEqual([
    [0, 0, "x", undefined],
    [1, 0, "x", undefined],
    [0, 1, "", 1],
  ]);
});
