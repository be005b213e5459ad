import {
  issuesOf,
  validationError,
  type ValidationIssue,
  type OperationSpec,
} from '@refledger/contracts';
import { z } from 'zod';

/** Parses a query or a body with its schema, and adds any problems to `issues`. */
type InputReader = (value: unknown, issues: ValidationIssue[]) => unknown;

/**
 * The query reader of an operation. It skips the schema for an empty query if the schema accepts
 * one.
 */
export const queryReader = ({ query: schema = noFields }: OperationSpec): InputReader => {
  const acceptsNoQuery = schema.safeParse({}).success;
  return (query, issues) =>
    acceptsNoQuery && isEmpty(query) ? noQuery : read(schema, query, inParameters, issues);
};

/**
 * The body reader of an operation. Without a body schema it accepts only no body or an empty
 * object. NDJSON is read later, line by line.
 */
export const bodyReader = ({
  body: schema,
  bodyIsOptional,
  bodyLine,
  immutable,
}: OperationSpec): InputReader => {
  if (bodyLine !== undefined) return (body) => body;
  const inBody: InputLocation = { in: 'body', ...(immutable && { immutable }) };
  if (schema !== undefined) {
    const none = bodyIsOptional === true ? {} : undefined;
    return (body, issues) => read(schema, body === undefined ? none : body, inBody, issues);
  }
  return (body, issues) => (body === undefined ? undefined : read(noFields, body, inBody, issues));
};

/**
 * Returns a function that validates a line of NDJSON. It throws one error that names every issue.
 */
export const lineReader = <Schema extends z.ZodObject>({
  bodyLine,
  immutable,
}: {
  readonly bodyLine: Schema;
  readonly immutable: readonly string[];
}): ((value: unknown) => z.infer<Schema>) => {
  return (value) => {
    const issues: ValidationIssue[] = [];
    const line = read(bodyLine, value, { in: 'body', immutable }, issues);
    if (issues.length > 0) throw validationError(issues);
    // Decoding boundary: the schema has just accepted it.
    return line as z.infer<Schema>;
  };
};

interface InputLocation {
  readonly in: 'body' | 'parameters';
  readonly immutable?: readonly string[];
}

const inParameters: InputLocation = { in: 'parameters' };

/**
 * The schema of a query or body that an operation does not take: only an empty object is accepted.
 */
const noFields = z.strictObject({});

const noQuery = Object.freeze({});

const isEmpty = (query: unknown): boolean => {
  if (typeof query === 'object') for (const _ in query) return false;
  return true;
};

/**
 * Parses a value with the schema. Only a rejected value is parsed again for a full report of its
 * issues, because that costs far more.
 */
const read = (
  schema: z.ZodObject,
  value: unknown,
  about: InputLocation,
  issues: ValidationIssue[],
): unknown => {
  const accepted = schema.safeParse(value);
  if (accepted.success) return accepted.data;
  const refused = schema.safeParse(value, { reportInput: true });
  if (refused.error !== undefined)
    issues.push(...issuesOf(refused.error, { ...about, known: Object.keys(schema.shape) }));
  return undefined;
};
