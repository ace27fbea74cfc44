import type { DescService } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { signal } from "@preact/signals";

/** The folder above the console's, so that calls also work below a path of a proxy. */
export const serverUrl: string = new URL("..", document.baseURI).href.replace(/\/$/, "");

/**
 * Every call is a POST with the header `connect-protocol-version`, which no form can send. Binary messages keep
 * integers of 64 bits exact.
 */
const transport = createConnectTransport({
  baseUrl: serverUrl,
  useBinaryFormat: true,
  interceptors: [
    (next) => async (request) => {
      try {
        return await next(request);
      } catch (error) {
        if (ConnectError.from(error).code === Code.Unauthenticated) unauthenticated.value++;
        throw error;
      }
    },
  ],
});

/** How many calls were refused since they had no key: the session follows it. */
export const unauthenticated = signal(0);

/** Returns a client of a service; pages import the service itself, so that its descriptors load with the page. */
export function clientOf<S extends DescService>(service: S): Client<S> {
  return createClient(service, transport);
}
