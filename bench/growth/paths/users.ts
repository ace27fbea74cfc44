import { loadOnce } from "../../../base/async/load-once.ts";
import { query } from "../../analysis/service.ts";
import type { Server } from "../../harness/processes.ts";
import { each, type GrowthPath, repeatedly, textOf } from "../measure.ts";
import { dayText, eventLine, importFiles, serveData, writeLines } from "../project.ts";

export const usersOfProject = 100_000;
const days = 30;

/** Imports users with a number `n` from 0 on, each with one event; resolves to the data folder, which paths share. */
export const importUsers = loadOnce(async (): Promise<string> => {
  const users = writeLines(usersOfProject, (at) =>
    JSON.stringify({
      "#type": "user_set",
      "#account_id": `user-${at}`,
      "#time": `${dayText(0)} 08:00:00`,
      properties: { n: at, name: `Name ${at}`, level: at % 60 },
    }),
  );
  const events = writeLines(usersOfProject, (at) => eventLine(at, at % days, { level: at % 60 }));
  return (await importFiles([users, events])).data;
});

/** The condition that a user is one of the first. */
export const firstUsers = (count: number) => ({
  columnName: "n",
  tableType: "user",
  comparator: "less",
  ftv: [String(count)],
});

const sliceOf = (users: number) => ({
  eventView: {
    startTime: dayText(0),
    endTime: dayText(days - 1),
    timeParticleSize: "total",
    filts: [firstUsers(users)],
  },
  events: [{ type: "normal", eventName: "play", analysis: "TRIG_USER_NUM" }],
  sliceGroupVal: [],
  eventIndex: 0,
});

async function listed(server: Server, users: number): Promise<string> {
  return await textOf(await query(server, "/open/event-user-list", sliceOf(users)));
}

const userList: GrowthPath = {
  name: "user-list",
  sizes: [10, 100, 1_000, 10_000],
  async open(sizes) {
    const server = await serveData(await importUsers());
    const points = sizes.map((work) => {
      const list = async (): Promise<void> => {
        const found = (await listed(server, work)).match(/user-\d+/g)?.length;
        if (found !== work) throw new Error(`${found} users are listed, not ${work}`);
      };
      return { work, measure: repeatedly(server, each(list)) };
    });
    const { data } = JSON.parse(await listed(server, 10_001)) as {
      readonly data: { readonly warnings: readonly string[] };
    };
    const refusal = data.warnings.at(-1)!;
    return { points, refusal, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
};

const lf = 10;

const download: GrowthPath = {
  name: "download-rows",
  sizes: [100, 1_000, 10_000, usersOfProject],
  async open(sizes) {
    const server = await serveData(await importUsers());
    const selectedColumns = ["#account_id", "name", "level"];
    const points = sizes.map((work) => {
      const read = async (): Promise<void> => {
        const body = { ...sliceOf(work), selectedColumns };
        const response = await query(server, "/open/streaming-download/event-user-list", body);
        let rows = -1;
        for await (const chunk of response.body as ReadableStream<Uint8Array>)
          for (const byte of chunk) if (byte === lf) rows++;
        if (rows !== work) throw new Error(`${rows} rows are downloaded, not ${work}`);
      };
      return { work, measure: repeatedly(server, each(read)) };
    });
    return { points, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
};

export const userPaths: readonly GrowthPath[] = [userList, download];
