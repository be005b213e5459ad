import { keysOf } from '../keys-of.js';
import { isRead } from '../shared/operation-spec.js';
import type { OperationSpec } from '../operations/operations.js';
import { problemCodes, type ProblemCode } from '../problems/problems.js';

/** Returns every problem that an operation can return, in the order of `problemCodes`. */
export const problemsOf = (operation: OperationSpec): readonly ProblemCode[] => {
  const possible = new Set<ProblemCode>([...always, ...(operation.problems ?? [])]);
  if (isRead(operation)) for (const code of ofReads) possible.add(code);
  if (operation.method !== 'GET') for (const code of ofBodies) possible.add(code);
  // a line that is not JSON gets a result of its own
  if (operation.bodyLine !== undefined) possible.delete('malformed_json');
  if (operation.scope !== 'read') possible.add('insufficient_scope');
  if (operation.path.includes('/:')) possible.add('not_found');
  return keysOf(problemCodes).filter((code) => possible.has(code));
};

/** Returns every problem that an operation can return, by status. */
export const problemsByStatus = (
  operation: OperationSpec,
): ReadonlyMap<number, readonly ProblemCode[]> => {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOf(operation)) {
    const { status } = problemCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
};

const always: readonly ProblemCode[] = [
  'bad_request',
  'unauthenticated',
  'uri_too_long',
  'validation_failed',
  'unknown_field',
  'rate_limited',
  'headers_too_large',
  'internal',
  'unavailable',
];
const ofReads: readonly ProblemCode[] = ['read_model_behind'];
const ofBodies: readonly ProblemCode[] = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
];
