declare module "asciichart" {
  interface PlotOptions {
    readonly min?: number;
    readonly max?: number;
    /** The number of rows above the first one. */
    readonly height?: number;
    readonly symbols?: readonly string[];
    readonly format?: (value: number) => string;
  }
  const asciichart: { plot(series: readonly number[], options?: PlotOptions): string };
  export = asciichart;
}
