import { messageOf } from '@refledger/event-log';

/** The parts of an error that are logged. */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  /** With the stacks of its causes. */
  readonly stack?: string;
}

/**
 * Returns the parts of an error that hold no personal value. Other fields are omitted: drivers
 * attach documents, keys and received bytes.
 */
export const loggedError = (error: unknown): LoggedError => {
  const message = messageOf(error);
  if (!isError(error)) return { type: typeof error, message };
  const { code } = error;
  return {
    type: error.name,
    message,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    stack: stackOf(error),
  };
};

/** The message and frames of an error and of its causes. */
export const stackOf = (error: unknown, depth = 0): string => {
  const message = messageOf(error);
  if (!isError(error)) return message;
  const { name, cause, errors } = error;
  const title = message.startsWith(name) ? message : `${name}: ${message}`;
  const several: readonly unknown[] = Array.isArray(errors) ? errors : [];
  const inner = cause === undefined ? several : [cause, ...several];
  return [
    [title, ...framesOf(error)].join('\n'),
    ...(depth < maxDepth ? inner.slice(0, maxErrors).map((one) => stackOf(one, depth + 1)) : []),
  ].join('\ncaused by: ');
};

interface ErrorLike {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: unknown;
  readonly cause?: unknown;
  /** Of an `AggregateError`. */
  readonly errors?: unknown;
}

/** Checks the fields, not the class, as `messageOf` does. */
const isError = (error: unknown): error is ErrorLike =>
  typeof error === 'object' && error !== null && 'message' in error && 'name' in error;

/** The lines of a stack after the message, which may itself have several lines. */
const framesOf = ({ stack = '', message }: ErrorLike): string[] => {
  const at = stack.indexOf(message);
  return stack
    .slice(at === -1 ? 0 : at + message.length)
    .split('\n')
    .filter((line) => /^ {4}at .*(:\d+:\d+|<anonymous>|native)\)?$/.test(line));
};

const maxDepth = 5;
const maxErrors = 5;
