import { createReadStream } from "node:fs";
import type { Writable } from "node:stream";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { AnalysisProxy } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import {
  type Cluster,
  ClusterKind,
  ClusterSchema,
  type ImportClusterRequest,
  ImportClusterRequestSchema,
  ImportClusterResponseSchema,
} from "../../gen/engage/analysis/v1/cluster_pb.ts";
import { chooseServer } from "../client/choose-server.ts";
import { type ServerOptions, withClient } from "../client/rpc-client.ts";
import type { ConfigOptions } from "../config/config.ts";
import { checkReadable } from "../terminal/file-fault.ts";
import { writeJson, writeRows } from "../terminal/messages.ts";
import type { Column } from "../terminal/table.ts";
import { type Output, writeForeign } from "../terminal/terminal.ts";
import { UserError } from "../terminal/user-error.ts";
import { type Member, readMembers } from "./file.ts";

export interface CohortOptions extends ServerOptions {
  readonly project: number;
  readonly json?: boolean;
}

interface Terminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Writable;
  readonly stderr: Output;
}

/** Members per message, about 100 KiB. */
const membersPerMessage = 2_000;

/** Creates or replaces a version of a cohort or tag from a file of ids. @throws UserError */
export async function importCohort(
  options: ConfigOptions,
  name: string,
  file: string,
  { day = "", tag, ...server }: CohortOptions & { readonly day?: string; readonly tag?: boolean },
  { stdin, stdout }: Terminal,
): Promise<void> {
  const header = {
    token: chooseServer(options, server).token ?? "",
    projectId: BigInt(server.project),
    name,
    day,
    kind: tag ? ClusterKind.TAG : ClusterKind.COHORT,
  };
  if (file !== "-") checkReadable(file);
  const source = file === "-" ? stdin : createReadStream(file);
  let fault: unknown;
  async function* requests(): AsyncGenerator<ImportClusterRequest> {
    yield request({ case: "header", value: header });
    try {
      for await (const members of inPieces(readMembers(source, tag === true)))
        yield request({ case: "members", value: { members } });
    } catch (error) {
      // The client would only report that the call failed.
      fault = error;
      throw error;
    }
  }
  try {
    await withClient(AnalysisProxy, options, server, async (client) => {
      const response = await client.importCluster(requests());
      if (server.json) return writeJson(stdout, ImportClusterResponseSchema, [response]);
      const { members, unknown, day: imported } = response;
      writeForeign(stdout, `${name}: ${members} members of ${imported}, ${unknown} unknown ids skipped\n`);
    });
  } catch (error) {
    throw fault instanceof UserError ? fault : error;
  }
}

const columns: readonly Column<Cluster>[] = [
  { head: "NAME", of: ({ name }) => name },
  { head: "DAY", of: ({ day }) => day },
  { head: "KIND", of: ({ kind }) => (kind === ClusterKind.TAG ? "tag" : "cohort") },
  { head: "MEMBERS", of: ({ members }) => members },
];

/** Prints the cohorts and tags of a project. @throws UserError */
export async function listCohorts(
  options: ConfigOptions,
  server: CohortOptions,
  streams: Pick<Terminal, "stdout" | "stderr">,
): Promise<void> {
  await withClient(AnalysisProxy, options, server, async (client) => {
    const request = { token: chooseServer(options, server).token ?? "", projectId: BigInt(server.project) };
    const { clusters } = await client.listClusters(request);
    const style = { schema: ClusterSchema, columns, none: "no cohorts or tags" };
    writeRows({ ...streams, json: server.json }, style, { rows: clusters, hasMore: false });
  });
}

function request(
  content: NonNullable<MessageInitShape<typeof ImportClusterRequestSchema>["content"]>,
): ImportClusterRequest {
  return create(ImportClusterRequestSchema, { content });
}

async function* inPieces(members: AsyncIterable<Member>): AsyncGenerator<Member[]> {
  let piece: Member[] = [];
  for await (const member of members) {
    piece.push(member);
    if (piece.length < membersPerMessage) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
