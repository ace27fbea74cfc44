import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, vi } from "vitest";
import { AnalysisProxy } from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { ClusterKind, ImportClusterRequestSchema } from "../../../../gen/engage/analysis/v1/cluster_pb.ts";
import { timeBefore, token } from "../events.ts";
import type { TasksPage } from "./page.ts";

/** Creates a channel, and all that an audience is chosen from: users, events, a saved query and a cohort. */
export async function createData(page: TasksPage, receiverUrl: string): Promise<void> {
  await createChannel(page, receiverUrl);
  await report(page, [
    ...["ann", "bob", "cid"].map((account) => track("login", account, {})),
    ...["ann", "bob", "cid"].map((account, i) =>
      profile(account, { level: i + 1, lang: i === 0 ? "en" : "de" }),
    ),
  ]);
  await vi.waitFor(async () => expect(await usersOf(page)).toBe("3"), { timeout: 20_000, interval: 100 });
  await saveQuery(page, "Logins");
  await importCohort(page, "vip", "2026-01-31", ["ann", "cid"]);
}

const createChannel = ({ post }: TasksPage, url: string) =>
  post("/v1/channels", {
    name: "mail",
    projectId: 1,
    url,
    pushIdProperty: "#account_id",
    authentication: { secret: "secret-of-the-channel" },
    contentTemplate: [
      { name: "title", displayName: "Title", inputMethod: "INPUT_METHOD_DYNAMIC_TEXT", required: true },
      {
        name: "items",
        displayName: "Items",
        inputMethod: "INPUT_METHOD_ARRAY_ROW",
        columns: ["id", "count"],
      },
      { name: "tone", displayName: "Tone", inputMethod: "INPUT_METHOD_DROPDOWN", options: ["calm", "loud"] },
    ],
  });

/** Saves a query for the number of logins in two days, in which midnight may be. */
async function saveQuery({ post }: TasksPage, name: string): Promise<void> {
  const eventView = { recentDay: "0-2", timeParticleSize: "total" };
  const events = [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES" }];
  const requestJson = JSON.stringify({ projectId: 1, eventView, events });
  await post("/v1/projects/1/queries", { name, requestJson }, { authorization: `Bearer ${token}` });
}

/** Imports a cohort as other services do. */
async function importCohort(
  { served }: TasksPage,
  name: string,
  day: string,
  accounts: readonly string[],
): Promise<void> {
  const client = createClient(AnalysisProxy, createGrpcTransport({ baseUrl: served().url }));
  const members = accounts.map((account) => ({ id: { case: "accountId" as const, value: account } }));
  async function* pieces() {
    const header = { token, projectId: 1n, name, day, kind: ClusterKind.COHORT };
    yield create(ImportClusterRequestSchema, { content: { case: "header", value: header } });
    yield create(ImportClusterRequestSchema, { content: { case: "members", value: { members } } });
  }
  expect((await client.importCluster(pieces())).members).toBe(BigInt(accounts.length));
}

/** Reports records as the SDKs do. */
export const report = ({ post }: TasksPage, records: readonly object[]) =>
  post("/sync_server", records, { appid: "app", compress: "none" });

export function track(name: string, account: string, properties: object): object {
  return {
    "#type": "track",
    "#event_name": name,
    "#account_id": account,
    "#time": timeBefore(1),
    properties,
  };
}

function profile(account: string, properties: object): object {
  return { "#type": "user_set", "#account_id": account, "#time": timeBefore(1), properties };
}

async function usersOf({ post }: TasksPage): Promise<string> {
  const audience = { users: { filts: [{ columnName: "level", tableType: "user", comparator: "notNull" }] } };
  const request = { projectId: 1, pushIdProperty: "#account_id", audience };
  return (await post<{ users: string }>("/v1/audiences:estimate", request)).users;
}
