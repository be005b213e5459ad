import { Metadata, status as codes, type ServiceError } from '@grpc/grpc-js';

/** Returns an error as the server sends it: a code, a message, and trailers that identify it. */
export const rpcError = (
  code: codes,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): Partial<ServiceError> & Error => {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return Object.assign(new Error(details), { code, details, metadata });
};

export const streamDeleted = (stream: string) =>
  rpcError(codes.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
export const notLeader = (host: string, port: string) =>
  rpcError(codes.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': port,
  });
export const noLeader = () => rpcError(codes.UNKNOWN, 'No leader info available in response');
export const connectionLost = () => rpcError(codes.UNAVAILABLE, 'Connection dropped');
export const accessDenied = () =>
  rpcError(codes.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
export const unauthenticated = () => rpcError(codes.UNAUTHENTICATED, '');
export const consumerTooSlow = () =>
  rpcError(
    codes.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );
export const invalidPosition = () => rpcError(codes.UNKNOWN, 'Unexpected ReadAllResult: Error');
export const maxAppendSizeExceeded = (limit: number) =>
  rpcError(codes.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(limit),
  });
