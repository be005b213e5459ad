import { z } from 'zod';
import { described } from './problems/described.js';
import { parameterAdvice, quotesAdvice } from './problems/without-quotes.js';

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
          : `must be an integer in ${unit}, but was ${described(input)}${adviceFor(input, example)}`,
    })
    .min(min, { error: `must be at least ${min}, in ${unit}` })
    .max(max, { error: `must be at most ${max} ${unit}` });

/** An integer in quotes is what to send, without them. A fraction in quotes has two faults. */
const adviceFor = (input: unknown, example: string): string =>
  quotesAdvice('int', input) ||
  `. Send ${example}${quotesAdvice('number', input) && ', without quotes'}`;

/** The schema of an integer in a query parameter, which is text. */
export const integerText = (pattern: RegExp, error: string) =>
  z.string().regex(pattern, { error: ({ input }) => `${error}${parameterAdvice(input)}` });
