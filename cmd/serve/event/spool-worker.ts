import { parentPort, workerData } from "node:worker_threads";
import { type SegmentsSetup, serveSegments } from "../../../store/records/serve-segments.ts";

serveSegments(parentPort!, workerData as SegmentsSetup);
