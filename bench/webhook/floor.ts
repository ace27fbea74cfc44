import { createHmac, timingSafeEqual } from "node:crypto";
import { serveFloor } from "../harness/floor.ts";
import { secret } from "./secret.ts";

/** Serves the minimum of a receiver: signature and JSON.parse, without checks, ids, stored replies or delivery. */
await serveFloor({
  read(body, headers) {
    const expected = createHmac("sha1", secret).update(body).digest();
    const given = Buffer.from(String(headers["x-svc-ops-signature"]), "hex");
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
    return isSigned && Array.isArray(JSON.parse(body.toString())) ? body : undefined;
  },
  reply: '{"return_code":0,"return_message":"success","data":{"fail_list":[]}}',
});
