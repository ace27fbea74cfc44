import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { createEmbeddedProject } from "../../../../cmd/serve/analysis/embedded-project.ts";
import {
  EventDownloadQuerySchema,
  EventQuerySchema,
  EventUserDownloadQuerySchema,
} from "../../../../gen/engage/analysis/v1/query_pb.ts";
import type { AnalysisProject } from "../../../../services/analysis/project/project.ts";
import { projectOf } from "../../../services/analysis/describe/described.ts";
import { call, collect } from "../../../services/analysis/shape/answers.ts";
import { createScriptedStore } from "../../../services/analysis/shape/scripted-store.ts";

const query = create(EventQuerySchema, { projectId: 1n });

it.each<[string, () => Promise<unknown> | undefined, readonly string[]]>([
  ["is open", () => undefined, ["eventView", "events"]],
  ["opens in the meantime", () => Promise.resolve(), ["eventView", "events"]],
  ["can't be opened", () => Promise.reject(new Error("it is in use")), []],
])("tells the faults of a query as far as they are known when the store %s", async (_what, gate, fields) => {
  const { store } = createScriptedStore({});
  const given = { store, gate, project: projectOf(), zone: "UTC", now: () => 0 };
  const faults = await createEmbeddedProject(given).engine.faultsOf!(query, new AbortController().signal);
  expect(faults.map(({ field }) => field)).toEqual(fields);
});

it.each<[string, (engine: AnalysisProject["engine"]) => AsyncIterable<unknown>]>([
  ["a download", (engine) => engine.download(create(EventDownloadQuerySchema), call())],
  ["a download of users", (engine) => engine.downloadUsers(create(EventUserDownloadQuerySchema), call())],
  ["the users of an audience", (engine) => engine.findUsers!(create(EventUserDownloadQuerySchema), call())],
])("starts %s when the store is open", async (_what, find) => {
  const { store } = createScriptedStore({});
  const gate = () => Promise.reject(new Error("it is in use"));
  const { engine } = createEmbeddedProject({ store, gate, project: projectOf(), zone: "UTC", now: () => 0 });
  await expect(collect(find(engine))).rejects.toThrow("it is in use");
});
