import type { z } from 'zod';
import { faultsError, faultsOf } from '../src/faults.js';
import type { Checked } from '../src/faults.js';
import type { Fault } from '../src/problems.js';

/** What a schema finds wrong with this input. */
export const faultsIn = (schema: z.ZodObject, input: unknown, checked: Checked = {}): Fault[] => {
  const { error } = schema.safeParse(input, { reportInput: true });
  return error === undefined
    ? []
    : faultsOf(error, { known: Object.keys(schema.shape), ...checked });
};

/** The code of the error that these faults make together. */
export const codeOf = (...args: Parameters<typeof faultsIn>) => faultsError(faultsIn(...args)).code;
