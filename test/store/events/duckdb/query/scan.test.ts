import { testScan } from "../../../../conformance/events/scan.ts";
import { createDuckDbWorld } from "../duckdb-world.ts";

testScan(createDuckDbWorld);
