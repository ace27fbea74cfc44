import type { Interceptor } from "@connectrpc/connect";
import { packageVersion } from "../package/root.ts";

/** The User-Agent of all outgoing calls. */
export const userAgent = `engage/${packageVersion()}`;

/** Sets the User-Agent of RPCs, which the library sets otherwise. */
export const nameSender: Interceptor = (next) => (request) => {
  request.header.set("user-agent", userAgent);
  return next(request);
};
