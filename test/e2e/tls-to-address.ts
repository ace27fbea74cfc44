/**
 * Options of `@grpc/grpc-js` for TLS to an address. It hands the host of its target to TLS as the name of the server,
 * which Node refuses from version 26 on if it is an address.
 */
export const tlsToAddress = { "grpc.ssl_target_name_override": "localhost" } as const;
