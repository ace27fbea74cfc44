import { block, pageHead, table } from "../markdown.ts";
import { formatJson, showQuery } from "./blocks.ts";
import { writeConditions } from "./conditions.ts";
import { definitions, logins, payments, users } from "./data.ts";
import { writeGroups } from "./groups.ts";
import { writeMembers } from "./members.ts";
import { writeMetricWords } from "./metrics.ts";
import { withExamples } from "./server.ts";
import { writeTimes } from "./times.ts";

const introduction = `
\`POST /open/event-analyze\` computes metrics of events over a range of time. A request has the project, what all metrics
share (\`eventView\`) and the metrics (\`events\`). RPC has the same words as enums; \`engage query FILE\` sends a file, and
the page Query of the console writes it with a form. All results on this page are those of the embedded engine for the
data below.
`;

/** Writes the reference of the query language; all results come from a server with the data of the examples. */
export function writeQueryLanguage(): Promise<string> {
  return withExamples(async (ask) => {
    const parts = [
      await writeTimes(ask),
      await writeMetricWords(ask),
      await writeConditions(ask),
      await writeGroups(ask),
    ];
    return [
      pageHead("Query language", introduction),
      writeData(),
      "## A query\n",
      "The number of users who paid on each of the four days before today:\n",
      await showQuery(ask, {
        projectId: 1,
        eventView: { recentDay: "1-4", timeParticleSize: "day" },
        events: [{ type: "normal", eventName: "pay", analysis: "TRIG_USER_NUM" }],
      }),
      ...parts,
      writeMembers(),
    ].join("\n");
  });
}

function writeData(): string {
  const list = (values: readonly unknown[]) =>
    values.map((value) => (value === undefined ? "" : String(value)));
  return [
    "## The data of the examples\n",
    "Three users, their logins and their payments; the project has the zone UTC.\n",
    table(
      ["User", "city", "level", "registered"],
      users.map(({ account, city, level, registered }) => list([account, city, level, registered])),
    ),
    table(
      ["login", "User"],
      logins.map(({ time, account }) => [time, account]),
    ),
    table(
      ["pay", "User", "item", "price", "gift", "tags", "ordered"],
      payments.map(({ time, account, item, price, gift, tags, ordered }) =>
        list([time, account, item, price, gift, tags?.join(", "), ordered]),
      ),
    ),
    "The configuration of the project has these definitions:\n",
    block("json", formatJson(definitions)),
  ].join("\n");
}
