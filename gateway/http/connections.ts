import type { Http2Session } from "node:http2";
import { BlockList, type Socket } from "node:net";
import { Semaphore } from "../../base/async/semaphore.ts";
import { LinkedList, ListMember } from "../../base/collections/linked-list.ts";
import { addCidr, hasAddress } from "../../base/net/special-networks.ts";
import type { GatewayLimits } from "../limits.ts";
import { networkOf } from "./network.ts";

/**
 * The use of a connection that may be closed for another: without a call or a response so far, without a call now, or
 * sending the body of its first calls.
 */
type Use = "unused" | "idle" | "sending";

/** One client address and what its connections have open. */
export class Address {
  readonly name: string;
  /** Connections of many callers, as of a proxy: no limit per address applies. */
  isShared: boolean;
  readonly connections = new Set<Connection>();
  /** Connections that may be closed for new ones, by their use: the oldest, or the longest idle, first. */
  readonly closable: Readonly<Record<Use, LinkedList<Connection>>> = {
    unused: new LinkedList(),
    idle: new LinkedList(),
    sending: new LinkedList(),
  };
  calls = 0;
  /** Streaming calls of callers without a key. */
  openStreams = 0;
  /** Bytes of incomplete request bodies and unread responses. */
  bytes = 0;
  /** Long bodies are inflated one at a time: a few bytes may occupy a processor, and each takes a thread. */
  readonly inflating = new Semaphore(1);

  /** Whether it is listed as an address with a connection to close. */
  isListed = false;
  readonly list: (address: Address) => void;

  constructor(name: string, isShared: boolean, list: (address: Address) => void = ignore) {
    this.name = name;
    this.isShared = isShared;
    this.list = list;
  }
}

/** One connection and what it has open. */
export class Connection extends ListMember {
  readonly address: Address;
  readonly socket: Socket | undefined;
  readonly sinceMs: number;
  openStreams = 0;
  /** Streaming calls that were refused since one was last admitted. */
  refusedStreams = 0;
  bytes = 0;
  #calls = 0;
  /** Calls whose body is not complete. */
  #openBodies = 0;
  #hasRequest = false;
  #hasResponded = false;
  #use: Use | undefined;

  constructor(address: Address, socket: Socket | undefined, sinceMs: number) {
    super();
    this.address = address;
    this.socket = socket;
    this.sinceMs = sinceMs;
  }

  /** Open calls. */
  get calls(): number {
    return this.#calls;
  }

  /** Whether the head of a request has come. */
  get hasRequest(): boolean {
    return this.#hasRequest;
  }

  get openBodies(): number {
    return this.#openBodies;
  }

  startCall(): void {
    this.#hasRequest = true;
    this.address.calls++;
    if (this.#calls++ === 0 || !this.#hasResponded) this.note();
  }

  endCall(): void {
    this.#hasResponded = true;
    this.address.calls--;
    if (--this.#calls === 0 || this.#use !== undefined) this.note();
  }

  startBody(): void {
    this.#openBodies++;
    if (!this.#hasResponded) this.note();
  }

  endBody(): void {
    this.#openBodies--;
    if (!this.#hasResponded) this.note();
  }

  /** Lists the connection by its use; a closed one is not listed. */
  note(): void {
    const { closable, connections } = this.address;
    const use = connections.has(this) ? this.#findUse() : undefined;
    if (use === this.#use) return;
    if (this.#use !== undefined) closable[this.#use].delete(this);
    this.#use = use;
    if (use === undefined) return;
    closable[use].add(this);
    if (!this.address.isListed) this.address.list(this.address);
  }

  #findUse(): Use | undefined {
    if (this.#calls === 0) return this.#hasResponded ? "idle" : "unused";
    return !this.#hasResponded && this.#openBodies >= this.#calls ? "sending" : undefined;
  }
}

/** A new connection has this time for its first request before it may be closed for others. */
const firstRequestMs = 1_000;

const kConnection = Symbol("connection");

type Known = { [kConnection]?: Connection };

/**
 * Returns the connection of a socket or session, also of the proxies that HTTP/2 hands out. Returns a new connection
 * for an owner that no port has registered.
 */
export function connectionOf(owner: Socket | Http2Session | undefined): Connection {
  return (owner as Known | undefined)?.[kConnection] ?? new Connection(new Address("", true), undefined, 0);
}

function setConnection(owner: Socket | Http2Session, connection: Connection): void {
  (owner as Known)[kConnection] = connection;
}

type ConnectionLimits = Pick<
  GatewayLimits,
  "maxConnections" | "maxConnectionsPerAddress" | "unusedTimeoutMs" | "trustedProxies"
>;

/**
 * All connections of a port by their addresses. When there are too many, in all
 * or of one address, those that do nothing are closed for new ones: first such
 * as had time for a request and never had a response, then idle ones, then those
 * that are new or still sending the body of their first request.
 */
export class Connections {
  #limits!: ConnectionLimits;
  readonly #addresses = new Map<string, Address>();
  /** Addresses that may have a connection to close, by the number of their connections. */
  readonly #bySize: Set<Address>[] = [];
  #proxies = new BlockList();
  /** Connections by their remote end, which the outer and inner sockets of TLS share. */
  readonly #byPort = new Map<string, Connection>();
  #count = 0;

  constructor(limits: ConnectionLimits) {
    this.setLimits(limits);
  }

  /** Changes the limits. No open connection is closed for it. */
  setLimits(limits: ConnectionLimits): void {
    this.#limits = limits;
    this.#proxies = blockListOf(limits.trustedProxies);
    for (const address of this.#addresses.values()) {
      const [connection] = address.connections;
      address.isShared = this.#isProxy(connection?.socket?.remoteAddress ?? "");
    }
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a new connection; destroys its socket and returns undefined if there are too many. */
  add(socket: Socket, nowMs: number): Connection | undefined {
    const address = this.#addressOf(socket.remoteAddress ?? "");
    if (!this.#makeRoom(address, nowMs)) {
      socket.destroy();
      return undefined;
    }
    const connection = new Connection(address, socket, nowMs);
    this.#addresses.set(address.name, address);
    address.connections.add(connection);
    this.#resized(address, address.connections.size - 1);
    connection.note();
    this.#count++;
    setConnection(socket, connection);
    const end = `${socket.remoteAddress} ${socket.remotePort}`;
    this.#byPort.set(end, connection);
    socket.once("close", () => {
      if (this.#byPort.get(end) === connection) this.#byPort.delete(end);
      this.#remove(connection);
    });
    return connection;
  }

  /** Adds a session, or the inner socket of TLS, to its connection. */
  alias(owner: Socket | Http2Session, { remoteAddress, remotePort }: Socket): void {
    const connection = this.#byPort.get(`${remoteAddress} ${remotePort}`);
    if (connection !== undefined) setConnection(owner, connection);
  }

  /** Closes connections on which no request has come. */
  sweep(nowMs: number): void {
    const { unusedTimeoutMs } = this.#limits;
    for (const { connections } of this.#addresses.values()) {
      for (const connection of connections) {
        if (!connection.hasRequest && nowMs - connection.sinceMs > unusedTimeoutMs)
          connection.socket?.destroy();
      }
    }
  }

  #makeRoom(address: Address, nowMs: number): boolean {
    const { maxConnections, maxConnectionsPerAddress } = this.#limits;
    if (
      !address.isShared &&
      address.connections.size >= maxConnectionsPerAddress &&
      !this.#evictFrom(address, nowMs)
    )
      return false;
    if (this.#count < maxConnections) return true;
    return this.#evictFromLargest(nowMs);
  }

  /** Closes a connection of the largest address. Busy addresses are not checked again before they have one to close. */
  #evictFromLargest(nowMs: number): boolean {
    for (let size = this.#bySize.length - 1; size > 0; size--) {
      const addresses = this.#bySize[size] as Set<Address>;
      for (const address of addresses) {
        if (this.#evictFrom(address, nowMs)) return true;
        addresses.delete(address);
        address.isListed = false;
      }
    }
    return false;
  }

  #evictFrom({ closable }: Address, nowMs: number): boolean {
    const oldest = closable.unused.first;
    const isOld = oldest !== undefined && nowMs - oldest.sinceMs > firstRequestMs;
    const toClose = isOld ? oldest : (closable.idle.first ?? oldest ?? closable.sending.first);
    if (toClose === undefined) return false;
    this.#remove(toClose);
    toClose.socket?.destroy();
    return true;
  }

  #remove(connection: Connection): void {
    const { address } = connection;
    if (!address.connections.delete(connection)) return;
    connection.note();
    this.#count--;
    this.#resized(address, address.connections.size + 1);
    if (address.connections.size === 0) this.#addresses.delete(address.name);
  }

  #list(address: Address): void {
    const { size } = address.connections;
    while (this.#bySize.length <= size) this.#bySize.push(new Set());
    if (size > 0) this.#bySize[size]?.add(address);
    address.isListed = size > 0;
  }

  #resized(address: Address, before: number): void {
    if (!address.isListed) return;
    this.#bySize[before]?.delete(address);
    this.#list(address);
    while (this.#bySize.at(-1)?.size === 0) this.#bySize.pop();
  }

  #addressOf(remote: string): Address {
    const name = networkOf(remote);
    const known = this.#addresses.get(name);
    if (known !== undefined) return known;
    return new Address(name, this.#isProxy(remote), (address) => this.#list(address));
  }

  #isProxy(remote: string): boolean {
    return remote !== "" && hasAddress(this.#proxies, remote);
  }
}

/** @param ranges addresses, or networks such as `10.0.0.0/8` */
function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) addCidr(list, range);
  return list;
}

function ignore(): void {}
