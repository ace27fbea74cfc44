import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";

/** The folder above the console's, so that calls also work below a path of a proxy. */
export const serverUrl: string = new URL("..", document.baseURI).href.replace(/\/$/, "");

/**
 * Every call is a POST with the header `connect-protocol-version`, which no form can send. Binary messages keep
 * integers of 64 bits exact.
 */
const transport = createConnectTransport({ baseUrl: serverUrl, useBinaryFormat: true });

/** Returns a client of a service; pages import the service itself, so that its descriptors load with the page. */
export function clientOf<S extends DescService>(service: S): Client<S> {
  return createClient(service, transport);
}
