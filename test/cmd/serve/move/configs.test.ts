import { expect, it } from "vitest";
import { checkConfigs } from "../../../../cmd/serve/move/configs.ts";
import { loadText } from "../../config/load.ts";

const stores =
  "stores: { driver: shared, postgres: { url: 'postgresql://a/b' }, clickhouse: { shards: ['http://a:8123'] } }";
const projects = "projects: [{ id: 1, zone: UTC }, { id: 2, zone: Asia/Tokyo }]";
const check = (from: string, to: string): void => checkConfigs(loadText(from).config, loadText(to).config);

it("takes a data folder and the stores of the same projects", () => {
  expect(() => check(projects, `${stores}\n${projects}`)).not.toThrow();
});

it.each([
  [
    `${stores}\n${projects}`,
    `${stores}\n${projects}`,
    '--config must have events.driver duckdb, whose data folder is moved, it is "clickhouse"',
  ],
  [projects, projects, "--to must be a configuration with stores.driver shared and events in ClickHouse"],
  [
    projects,
    `${stores}\nprojects: [{ id: 1, zone: UTC }]`,
    "project 2 is missing in the configuration of --to",
  ],
  [
    projects,
    `${stores}\nprojects: [{ id: 1, zone: UTC }, { id: 2, zone: UTC }]`,
    'project 2 has the zone "Asia/Tokyo" here and "UTC" in that of --to',
  ],
])("refuses %j to %j", (from, to, message) => {
  expect(() => check(from, to)).toThrow(message);
});
