import type { z } from 'zod';
import { validationError, issuesOf } from '../src/problems/validation-issues.js';
import type { ValidationContext } from '../src/problems/validation-issues.js';
import type { ValidationIssue } from '../src/problems/problem-schema.js';

/** Returns the issues that a schema finds in this input. */
export const issuesIn = (
  schema: z.ZodObject,
  input: unknown,
  context: ValidationContext = {},
): ValidationIssue[] => {
  const { error } = schema.safeParse(input, { reportInput: true });
  return error === undefined
    ? []
    : issuesOf(error, { known: Object.keys(schema.shape), ...context });
};

/** Returns the code of the error that these issues make together. */
export const codeOf = (...args: Parameters<typeof issuesIn>) =>
  validationError(issuesIn(...args)).code;
