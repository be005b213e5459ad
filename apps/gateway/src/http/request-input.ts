import { issuesOf, type ValidationIssue, type OperationSpec } from '@refledger/contracts';
import { z } from 'zod';

/** Reads a query or a body by its schema; adds what is wrong with it to the faults. */
type InputReader = (value: unknown, issues: ValidationIssue[]) => unknown;

export const queryReader = ({ query: schema }: OperationSpec): InputReader => {
  const acceptsNoQuery = schema.safeParse({}).success;
  return (query, issues) =>
    acceptsNoQuery && isEmpty(query) ? noQuery : read(schema, query, inParameters, issues);
};

export const bodyReader = ({ body: schema, immutable }: OperationSpec): InputReader => {
  const inBody: About = { in: 'body', ...(immutable && { immutable }) };
  if (schema !== undefined) return (body, issues) => read(schema, body, inBody, issues);
  return (body, issues) => (body === undefined ? undefined : read(noFields, body, inBody, issues));
};

interface About {
  readonly in: 'body' | 'parameters';
  readonly immutable?: readonly string[];
}

const inParameters: About = { in: 'parameters' };

/** What a request without a body of its own may carry as one. */
const noFields = z.strictObject({});

const noQuery = Object.freeze({});

const isEmpty = (query: unknown): boolean => {
  for (const _ in query as object) return false;
  return true;
};

/** What the schema makes of a value. Only when it is refused, it is read again for a full account of its faults, which costs far more. */
const read = (
  schema: z.ZodObject,
  value: unknown,
  about: About,
  issues: ValidationIssue[],
): unknown => {
  const accepted = schema.safeParse(value);
  if (accepted.success) return accepted.data;
  const refused = schema.safeParse(value, { reportInput: true });
  if (refused.error !== undefined)
    issues.push(...issuesOf(refused.error, { ...about, known: Object.keys(schema.shape) }));
  return undefined;
};
