import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { SavedQueries } from "../../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import type { Admission } from "../../../../services/analysis/admission/admission.ts";
import { createSavedQueries } from "../../../../services/analysis/saved/saved-queries.ts";
import {
  maxQueriesOfProject,
  SavedQueriesFullError,
  SavedQueriesUnavailableError,
  type SavedQueryStore,
} from "../../../../store/savedqueries/savedqueries.ts";
import { fakeEngine } from "../proxy-server.ts";

const request =
  '{"projectId":1,"eventView":{"startTime":"2026-11-01","endTime":"2026-11-02"},"events":[{"type":"normal","eventName":"login","analysis":"TOTAL_TIMES"}]}';

/** The service on a project of a platform, whose requests are checked by their form alone. */
function openService(store: () => Promise<Partial<SavedQueryStore>>) {
  const outcomes: string[] = [];
  const projects = new Map([[1, { engine: fakeEngine({}), engineName: "platform" as const }]]);
  const admission: Pick<Admission, "reach"> = {
    reach: () => ({ projects, isLimited: false, caller: "key test" }),
  };
  const service = createSavedQueries({
    admission: admission as Admission,
    observer: {
      started: () => undefined,
      resultSent: () => undefined,
      finished: (operation, _engine, outcome) => void outcomes.push(`${operation} ${outcome}`),
    },
    store: store as () => Promise<SavedQueryStore>,
  });
  const transport = createRouterTransport(({ service: add }) => add(SavedQueries, service));
  return { client: createClient(SavedQueries, transport), outcomes };
}

const toSave = { projectId: 1n, savedQuery: { name: "a", requestJson: request } };

async function faultOf(call: Promise<unknown>): Promise<ConnectError> {
  return ConnectError.from(await call.then(() => undefined).catch((error: unknown) => error));
}

it.each([
  ["cannot be opened", new SavedQueriesUnavailableError("secret host"), "unavailable"],
  ["is full", new SavedQueriesFullError("secret disk"), "full"],
])("a store that %s is not described to callers", async (_name, error, state) => {
  const { client, outcomes } = openService(() => Promise.reject(error));
  expect(await faultOf(client.createSavedQuery(toSave))).toMatchObject({
    code: Code.Unavailable,
    rawMessage: `the store of saved queries is ${state}`,
  });
  expect(outcomes).toEqual(["saved_queries unavailable"]);
});

it("a project with too many saved queries gets no more", async () => {
  const { client } = openService(async () => ({ create: async () => ({ kind: "too_many" }) }));
  expect(await faultOf(client.createSavedQuery(toSave))).toMatchObject({
    code: Code.ResourceExhausted,
    rawMessage: `project 1 has ${maxQueriesOfProject} saved queries, delete one first`,
  });
});

it("a query that is refused opens no store", async () => {
  let opened = 0;
  const { client } = openService(async () => {
    opened++;
    return {};
  });
  const unknown = { ...toSave, projectId: 9n };
  expect((await faultOf(client.createSavedQuery(unknown))).rawMessage).toBe("project_id is 9, valid are 1");
  expect(opened).toBe(0);
});

it.each(["v", "v-1", "1", "v1.5", "v9999999999", "V1"])("an etag %s is none of a query", async (etag) => {
  const versions: unknown[] = [];
  const { client } = openService(async () => ({
    delete: async (_projectId, _queryId, version) => {
      versions.push(version);
      return "stale";
    },
  }));
  const call = client.deleteSavedQuery({ projectId: 1n, queryId: "q1", etag });
  expect(await faultOf(call)).toMatchObject({ code: Code.Aborted });
  expect(versions).toEqual([-1]);
});
