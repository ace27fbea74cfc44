import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { codeName } from "../../base/rpc/code-names.ts";
import type { Output } from "../terminal/terminal.ts";

/** Returns an interceptor that prints each call with its time to the response, and how it ended. */
export function traceCalls(stderr: Output): Interceptor {
  return (next) => async (request) => {
    const began = performance.now();
    const print = (outcome: string): void => {
      const { parent, name } = request.method;
      const ms = Math.round(performance.now() - began);
      stderr.write(`call ${parent.typeName}/${name} ${outcome} in ${ms} ms\n`);
    };
    try {
      const response = await next(request);
      const id = response.header.get("x-request-id");
      print(`ok${id === null ? "" : `, request ${id}`}`);
      return response;
    } catch (error) {
      const { code, metadata } = ConnectError.from(error);
      const id = metadata.get("x-request-id");
      print(`${codeName(code)}${id === null ? "" : `, request ${id}`}`);
      throw error;
    }
  };
}
