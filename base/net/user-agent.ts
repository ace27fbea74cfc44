import type { Interceptor } from "@connectrpc/connect";
import { packageVersion } from "../package/root.ts";

/** How all calls of this program name their sender. */
export const userAgent = `engage/${packageVersion()}`;

/** Names the sender of RPCs, which are named by the library otherwise. */
export const nameSender: Interceptor = (next) => (request) => {
  request.header.set("user-agent", userAgent);
  return next(request);
};
