/** The same spec makes the same events, byte for byte. */
export interface DataSetSpec {
  readonly seed: number;
  readonly conversions: number;
  readonly affiliates: number;
  readonly programs: number;
  /** The commission of every sale, in minor units; none if absent. */
  readonly commission?: number;
}
