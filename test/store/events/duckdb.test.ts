import { testEvents } from "../../conformance/events.ts";
import { createDuckDbWorld } from "./duckdb-world.ts";

testEvents("store of events in DuckDB", createDuckDbWorld);
