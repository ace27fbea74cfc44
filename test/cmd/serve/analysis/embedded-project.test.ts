import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { createEmbeddedProject } from "../../../../cmd/serve/analysis/embedded-project.ts";
import { EventQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { projectOf } from "../../../services/analysis/describe/described.ts";
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
