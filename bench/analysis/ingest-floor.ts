import { gunzipSync } from "node:zlib";
import { serveFloor } from "../harness/floor.ts";

/** Serves the minimum of a collector: gunzip and JSON.parse, without checks, loading or queries. */
await serveFloor({
  read(packed) {
    const body = gunzipSync(packed);
    return Array.isArray(JSON.parse(body.toString())) ? body : undefined;
  },
  reply: '{"code":0}',
});
