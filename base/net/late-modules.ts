import type * as http2 from "node:http2";
import type * as https from "node:https";
import type * as tls from "node:tls";

/**
 * Modules of Node that are loaded by what first needs them, since each loads TLS: most servers need it late or never,
 * and it takes 8 MiB and 20 ms of CPU time. Node then also reads the root certificates, in a thread. All code that
 * a server loads at its start gets these modules here, and imports only their types. It does not import packages that
 * load them, such as undici and nodemailer.
 */

export function loadHttp2(): typeof http2 {
  return process.getBuiltinModule("node:http2");
}

export function loadHttps(): typeof https {
  return process.getBuiltinModule("node:https");
}

export function loadTls(): typeof tls {
  return process.getBuiltinModule("node:tls");
}
