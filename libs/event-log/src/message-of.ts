/**
 * The message of an error for logs and health checks. Only the name (and the code) of an error
 * whose message may quote a value, since that value may be a person's.
 */
export const messageOf = (error: unknown): string => {
  if (!isErrorLike(error)) return `a thrown ${typeof error}`;
  const { name, message, code } = error;
  if (!quoting.has(name)) return message;
  return typeof code === 'string' ? `${name} (${code})` : name;
};

interface ErrorLike {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
}

/** Checks the fields, not the class: in Jest, an error of Node itself comes from another realm. */
const isErrorLike = (error: unknown): error is ErrorLike =>
  typeof error === 'object' &&
  error !== null &&
  'message' in error &&
  typeof error.message === 'string' &&
  'name' in error &&
  typeof error.name === 'string';

/**
 * The errors of JavaScript and Node quote the value that they refuse ("Cannot convert jane to a
 * BigInt"), a problem's detail quotes the request, and drivers quote documents and payloads.
 */
const quoting: ReadonlySet<string> = new Set([
  'TypeError',
  'SyntaxError',
  'RangeError',
  'ReferenceError',
  'URIError',
  'EvalError',
  'AssertionError',
  'DataCloneError',
  'DomainError',
  'ZodError',
  '$ZodError',
  'FastifyError',
  'BSONError',
  'MongoServerError',
  'MongoBulkWriteError',
  'MongoWriteConcernError',
]);
