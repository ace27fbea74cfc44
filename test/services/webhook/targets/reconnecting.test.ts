import { expect, it } from "vitest";
import { createReconnecting } from "../../../../services/webhook/targets/reconnecting.ts";

interface Connection {
  readonly number: number;
  isUsable: boolean;
  isClosed: boolean;
}

function openAll(failures = 0) {
  const opened: Connection[] = [];
  let left = failures;
  const reconnecting = createReconnecting<Connection>({
    async open() {
      if (left-- > 0) throw new Error("refused");
      const connection = { number: opened.length + 1, isUsable: true, isClosed: false };
      opened.push(connection);
      return connection;
    },
    isUsable: (connection) => connection.isUsable,
    close(connection) {
      connection.isClosed = true;
    },
  });
  return { opened, reconnecting };
}

it("opens one connection for all who ask at once", async () => {
  const { reconnecting } = openAll();
  const connections = await Promise.all([reconnecting.get(), reconnecting.get(), reconnecting.get()]);
  expect(connections.map(({ number }) => number)).toEqual([1, 1, 1]);
});

it("opens one new connection when the old one is lost", async () => {
  const { opened, reconnecting } = openAll();
  await reconnecting.get();
  opened[0]!.isUsable = false;
  const connections = await Promise.all([reconnecting.get(), reconnecting.get()]);
  expect(connections.map(({ number }) => number)).toEqual([2, 2]);
});

it("tries again after a failure", async () => {
  const { reconnecting } = openAll(1);
  await expect(reconnecting.get()).rejects.toThrow("refused");
  expect((await reconnecting.get()).number).toBe(1);
});

it("closes what it has opened", async () => {
  const { opened, reconnecting } = openAll();
  await reconnecting.get();
  await reconnecting[Symbol.asyncDispose]();
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true]);
});

it("gives a connection up that says nothing", async () => {
  const { opened, reconnecting } = openAll();
  const call = new AbortController();
  const silent = reconnecting.use(() => new Promise(() => {}), call.signal);
  await reconnecting.get();
  call.abort(new Error("enough"));
  await expect(silent).rejects.toThrow("enough");
  const { signal } = new AbortController();
  expect(await reconnecting.use(async ({ number }) => number, signal)).toBe(2);
  await expect(reconnecting.use(() => Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false]);
});

it("closes a connection that opens when it is no longer wanted", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const closed: string[] = [];
  const reconnecting = createReconnecting({
    open: () => promise,
    isUsable: () => true,
    close: (name: string) => closed.push(name),
  });
  const late = reconnecting.get();
  await reconnecting[Symbol.asyncDispose]();
  resolve("late");
  await late;
  expect(closed).toEqual(["late"]);
});
