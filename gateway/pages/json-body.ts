import { JsonBoundsScan } from "../../base/json/bounds.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { readBody } from "../http/body.ts";
import { connectionOfRequest, type NodeRequest } from "../http/http.ts";
import { parseJsonText, readJsonText } from "../rest/json-text.ts";

/**
 * Reads the JSON body of a request to an endpoint, within the limits that bodies of calls have: its size, its rate, the
 * bytes of its connection and address, and the bounds of JSON.
 * @throws ConnectError
 */
export async function readJsonBody(
  request: NodeRequest,
  maxBytes: number,
  { limits, openBytes }: Pick<GatewayContext, "limits" | "openBytes">,
): Promise<unknown> {
  const { promise: isCut, reject: cut } = Promise.withResolvers<never>();
  const hold = openBytes.openBody(connectionOfRequest(request), { cut });
  try {
    const reading = readBody(request, { maxBytes }, hold, {
      bytesRead() {},
      openScan: () => new JsonBoundsScan(limits.json),
    });
    const { body, scanned } = await Promise.race([reading, isCut]);
    return parseJsonText(readJsonText(body, limits.json, scanned), false);
  } finally {
    hold.close();
  }
}
