import type { z } from 'zod';
import { validationError, issuesOf } from '../src/validation-issues.js';
import type { Checked } from '../src/validation-issues.js';
import type { ValidationIssue } from '../src/problems.js';

/** What a schema finds wrong with this input. */
export const issuesIn = (
  schema: z.ZodObject,
  input: unknown,
  checked: Checked = {},
): ValidationIssue[] => {
  const { error } = schema.safeParse(input, { reportInput: true });
  return error === undefined
    ? []
    : issuesOf(error, { known: Object.keys(schema.shape), ...checked });
};

/** The code of the error that these faults make together. */
export const codeOf = (...args: Parameters<typeof issuesIn>) =>
  validationError(issuesIn(...args)).code;
