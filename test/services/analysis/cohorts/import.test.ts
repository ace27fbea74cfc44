import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ClusterKind, ImportClusterRequestSchema } from "../../../../gen/engage/analysis/v1/cluster_pb.ts";
import { createTokenList } from "../../../../services/analysis/admission/tokens.ts";
import type { CohortMember, CohortVersion } from "../../../../store/events/events.ts";
import { openProxy, tokens } from "../proxy-server.ts";

type Content = NonNullable<MessageInitShape<typeof ImportClusterRequestSchema>["content"]>;

async function* requests(...contents: Content[]) {
  for (const content of contents) yield create(ImportClusterRequestSchema, { content });
}

function openCohorts() {
  const stored: { version: CohortVersion; members: CohortMember[] }[] = [];
  const cohorts = {
    today: () => "2026-08-23",
    async importCohort(version: CohortVersion, pieces: AsyncIterable<readonly CohortMember[]>) {
      const members: CohortMember[] = [];
      for await (const piece of pieces) members.push(...piece);
      stored.push({ version, members });
      return { members: members.length - 1, unknown: 1 };
    },
    cohorts: async (projectId: number) => [
      { projectId, name: "vip", day: "2026-08-23", kind: "tag" as const, members: 2 },
    ],
  };
  return { stored, cohorts };
}

const header = { token: "token-one", projectId: 1n, name: "vip" };
const account = (value: string) => ({ id: { case: "accountId" as const, value } });

test("a cohort is imported for today, in pieces", async () => {
  const { cohorts, stored } = openCohorts();
  const { client, finished } = await openProxy({ cohorts });
  const answer = await client.importCluster(
    requests(
      { case: "header", value: header },
      { case: "members", value: { members: [account("a"), { id: { case: "distinctId", value: "d" } }] } },
      { case: "members", value: { members: [{ id: { case: "userId", value: 7n } }] } },
    ),
  );
  expect(answer).toMatchObject({ members: 2n, unknown: 1n, day: "2026-08-23" });
  expect(stored).toEqual([
    {
      version: { projectId: 1, name: "vip", day: "2026-08-23", kind: "cohort" },
      members: [{ accountId: "a" }, { distinctId: "d" }, { userId: 7n }],
    },
  ]);
  expect(finished).toEqual(["import_cluster none ok"]);
});

test("a tag is imported for a day", async () => {
  const { cohorts, stored } = openCohorts();
  const { client } = await openProxy({ cohorts });
  const tag = { ...header, day: "2026-08-01", kind: ClusterKind.TAG };
  await client.importCluster(
    requests(
      { case: "header", value: tag },
      { case: "members", value: { members: [{ ...account("a"), value: "gold" }] } },
    ),
  );
  expect(stored[0]).toEqual({
    version: { projectId: 1, name: "vip", day: "2026-08-01", kind: "tag" },
    members: [{ accountId: "a", value: "gold" }],
  });
});

test("nothing is stored of an import whose token was removed", async () => {
  const { cohorts, stored } = openCohorts();
  const list = createTokenList(tokens);
  let isRemoved = false;
  const find = (token: string) => (isRemoved ? undefined : list.find(token));
  const { client } = await openProxy({ cohorts, tokens: { find } });
  async function* untilRemoved() {
    yield* requests(
      { case: "header", value: header },
      { case: "members", value: { members: [account("a")] } },
    );
    isRemoved = true;
  }
  await expect(client.importCluster(untilRemoved())).rejects.toMatchObject({ code: Code.PermissionDenied });
  expect(stored).toEqual([]);
});

test("imports are listed", async () => {
  const { cohorts } = openCohorts();
  const { client } = await openProxy({ cohorts });
  expect((await client.listClusters({ token: "token-one", projectId: 1n })).clusters).toMatchObject([
    { name: "vip", day: "2026-08-23", kind: ClusterKind.TAG, members: 2n },
  ]);
});

const members = (...list: object[]): Content => ({ case: "members", value: { members: list } });
const refused: [what: string, contents: Content[], code: Code, message: string][] = [
  ["nothing", [], Code.InvalidArgument, "header: must be the first message"],
  ["members first", [members(account("a"))], Code.InvalidArgument, "header: must be the first message"],
  [
    "a second header",
    [
      { case: "header", value: header },
      { case: "header", value: header },
    ],
    Code.InvalidArgument,
    "members: must be in every message after the first",
  ],
  [
    "no name",
    [{ case: "header", value: { ...header, name: "" } }],
    Code.InvalidArgument,
    "name: is required, valid are 1 to 100 characters without control characters",
  ],
  [
    "a day that does not exist",
    [{ case: "header", value: { ...header, day: "2026-02-30" } }],
    Code.InvalidArgument,
    'day: "2026-02-30" is not a day, valid is yyyy-MM-dd',
  ],
  [
    "a member without an id",
    [{ case: "header", value: header }, members(account("a")), members(account("b"), {})],
    Code.InvalidArgument,
    "members[2]: has no id",
  ],
  [
    "a value in a cohort",
    [{ case: "header", value: header }, members({ ...account("a"), value: "x" })],
    Code.InvalidArgument,
    "members[0].value: is only valid for a tag",
  ],
  [
    "no value in a tag",
    [{ case: "header", value: { ...header, kind: ClusterKind.TAG } }, members(account("a"))],
    Code.InvalidArgument,
    "members[0].value: is required for a tag",
  ],
  [
    "no token",
    [{ case: "header", value: { ...header, token: "" } }],
    Code.Unauthenticated,
    "Parameter (token) is empty",
  ],
  [
    "a project of a platform",
    [{ case: "header", value: { ...header, token: "token-root", projectId: 2n } }],
    Code.InvalidArgument,
    "projectId: project 2 is served by a platform, which stores its own cohorts",
  ],
];

test.each(refused)("%s is refused", async (_what, contents, code, message) => {
  const { cohorts, stored } = openCohorts();
  const { client } = await openProxy({ cohorts });
  const error = await client
    .importCluster(requests(...contents))
    .catch((reason) => ConnectError.from(reason));
  expect(error).toMatchObject({ code, rawMessage: message });
  expect(stored).toEqual([]);
});
