import { testEvents } from "../../../conformance/events.ts";
import { createDuckDbWorld } from "./duckdb-world.ts";

testEvents("event store in DuckDB", createDuckDbWorld);
