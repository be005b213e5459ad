/** The same spec makes the same events, byte for byte. */
export interface DataSetSpec {
  readonly seed: number;
  readonly conversions: number;
  readonly affiliates: number;
  readonly programs: number;
  /** What every sale earns, in minor units; nothing if absent. */
  readonly commission?: number;
}
