import type { Config } from "../../config/config.ts";
import { UserError } from "../../terminal/user-error.ts";

/** Checks that the data folder of one configuration can be moved into the stores of the other. @throws UserError */
export function checkConfigs(from: Config, to: Config): void {
  if (from.events.driver !== "duckdb") {
    throw new UserError(
      `--config must have events.driver duckdb, whose data folder is moved, it is ${JSON.stringify(from.events.driver)}`,
    );
  }
  if (to.events.driver !== "clickhouse" || to.stores.driver !== "shared")
    throw new UserError("--to must be a configuration with stores.driver shared and events in ClickHouse");
  for (const { id, zone } of from.projects) {
    const other = to.projects.find((project) => project.id === id);
    if (other === undefined) throw new UserError(`project ${id} is missing in the configuration of --to`);
    if (other.zone === zone) continue;
    const zones = `${JSON.stringify(zone)} here and ${JSON.stringify(other.zone)} in that of --to`;
    throw new UserError(`project ${id} has the zone ${zones}`);
  }
}
