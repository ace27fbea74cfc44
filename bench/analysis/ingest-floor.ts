import { gunzipSync } from "node:zlib";
import { serveFloor } from "../harness/floor.ts";

/** What any collector must do: gunzip, JSON.parse. No checks of records, nothing loaded, nothing to ask. */
await serveFloor({
  read(packed) {
    const body = gunzipSync(packed);
    return Array.isArray(JSON.parse(body.toString())) ? body : undefined;
  },
  reply: '{"code":0}',
});
