import { parentPort, workerData } from "node:worker_threads";
import { freeIdleMemory } from "../../../base/memory/idle-memory.ts";
import { type SegmentsSetup, serveSegments } from "../../../store/records/serve-segments.ts";

freeIdleMemory();
serveSegments(parentPort!, workerData as SegmentsSetup);
