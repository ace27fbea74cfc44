export interface SdkRecordOptions {
  readonly user: number;
  /** `yyyy-MM-dd HH:mm:ss.SSS` */
  readonly time: string;
  /** Further properties. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Returns the n-th record of this process as an SDK sends it, about 430 bytes. */
export function sdkRecord(n: number, { user, time, more }: SdkRecordOptions): object {
  return {
    "#type": "track",
    "#event_name": n % 3 === 0 ? "purchase" : "view",
    "#time": time,
    "#account_id": `user-${user}`,
    "#distinct_id": `device-${user}`,
    "#uuid": `${process.pid}-${n}-0b1e-4f5c-9d2a-6f0c2d7e8a91`,
    properties: {
      "#lib": "node",
      "#lib_version": "1.5.0",
      city: `city_${n % 40}`,
      channel: `channel_${n % 8}`,
      server: `server_${n % 1_000}`,
      level: n % 60,
      vip: n % 10 === 0,
      price: (n % 10_000) / 100,
      items: [`item_${n % 90}`, `item_${n % 70}`],
      ...more,
    },
  };
}
