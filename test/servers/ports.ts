import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns a port below those that the system assigns to connections: while a server is down, no other program gets
 * its port, and a client that tries to reach it never connects to itself. No other test gets the port until this
 * process ends, not even one of another run: its server would be taken for the one that is down or starts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    // The port of the same number of another protocol marks it as taken.
    const mark = createSocket("udp4").bind(port, "127.0.0.1").unref();
    if (await isListening(mark)) {
      const probe = createServer().listen(port, "127.0.0.1");
      const isFree = await isListening(probe);
      probe.close();
      if (isFree) return port;
    }
    mark.close();
  }
}

function isListening(socket: NodeJS.EventEmitter): Promise<boolean> {
  return once(socket, "listening").then(
    () => true,
    () => false,
  );
}
