import { z } from 'zod';
import { described } from './problems/described.js';

/** The unit of an integer, its limits, and what to send. */
interface IntegerRule {
  /** In the plural, such as `basis points`. */
  readonly unit: string;
  /** Such as `2000 for 20%`. */
  readonly example: string;
  /** Default 0. */
  readonly min?: number;
  readonly max: number;
}

/** The schema of an integer from a client. Its messages name the unit. */
export const integerIn = ({ unit, example, min = 0, max }: IntegerRule) =>
  z
    .int({
      error: ({ input }) =>
        input === undefined
          ? `is required. Send an integer in ${unit}, such as ${example}`
          : `must be an integer in ${unit}, but was ${described(input)}. Send ${example}`,
    })
    .min(min, { error: `must be at least ${min}, in ${unit}` })
    .max(max, { error: `must be at most ${max} ${unit}` });
