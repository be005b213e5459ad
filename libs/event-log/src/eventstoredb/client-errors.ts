import { ErrorType } from '@eventstore/db-client';
import { EventLogError, unavailable, unusable, unknownOutcome } from '../event-log-error.js';
import { messageOf } from '../message-of.js';

/** The parts of an error of gRPC or of the client that describe it. */
interface ClientError {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly leader?: { readonly address: string; readonly port: number };
  readonly metadata?: { readonly getMap?: () => Record<string, unknown> };
}

/** The gRPC status codes that this module distinguishes. */
const codes = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  aborted: 10,
  outOfRange: 11,
  unavailable: 14,
  unauthenticated: 16,
} as const;
const refusals: ReadonlySet<unknown> = new Set([codes.permissionDenied, codes.unauthenticated]);
const badPositions: ReadonlySet<unknown> = new Set([
  codes.unknown,
  codes.invalidArgument,
  codes.notFound,
  codes.outOfRange,
]);

/**
 * Translates the error of a call that only reads. It wrote nothing, so any failure that may be
 * temporary is `unavailable`.
 */
export const asEventLogError = (error: unknown, hosts: string): EventLogError => {
  if (error instanceof EventLogError) return error;
  if (isAccessDenied(error))
    return unusable(
      `EventStoreDB at ${hosts} rejects the user or password in EVENT_LOG_URL, or the user lacks permissions: ${messageOf(error)}`,
      { cause: error },
    );
  if (isStreamDeleted(error))
    return unusable(
      `stream ${error.streamName} of the event log was deleted permanently, which Refledger never does. Restore a backup.`,
      { cause: error },
    );
  return unavailable(`EventStoreDB at ${hosts} is unreachable: ${messageOf(error)}`, {
    cause: error,
  });
};

/**
 * Like `asEventLogError`, but for startup, where an untrusted certificate is a mistake to correct
 * and not an outage to wait for.
 */
export const asStartError = (error: unknown, hosts: string): EventLogError => {
  if (
    !/certificate|CERT_|self.signed|unable to verify|ALTNAME|EPROTO|wrong version number/i.test(
      messageOf(error),
    )
  )
    return asEventLogError(error, hosts);
  return unusable(
    `the TLS connection to EventStoreDB at ${hosts} failed: ${messageOf(error)}. Check its certificate, and tls and tlsCAFile in EVENT_LOG_URL.`,
    { cause: error },
  );
};

/**
 * Translates the error that ended a batch stream before it answered an append: whether the append
 * was certainly not written, or its outcome is unknown.
 */
export const appendFault = (error: unknown, hosts: string): EventLogError => {
  if (error instanceof EventLogError || isAccessDenied(error) || wasNeverSent(error))
    return asEventLogError(error, hosts);
  return unknownOutcome(
    `EventStoreDB at ${hosts} ended the call before it answered: ${messageOf(error)}`,
    { cause: error },
  );
};

/** The leader's `host:port`, as a node that does not lead names it. */
export const leaderNamedIn = (error: unknown): string | undefined => {
  const { leader, cause } = fieldsOf(error);
  if (leader !== undefined) return `${leader.address}:${leader.port}`;
  const map = isNotLeader(error) ? fieldsOf(error).metadata?.getMap?.() : undefined;
  if (map !== undefined)
    return `${String(map['leader-endpoint-host'])}:${String(map['leader-endpoint-port'])}`;
  return error instanceof EventLogError && cause !== undefined ? leaderNamedIn(cause) : undefined;
};

/**
 * Whether the connection to the node is lost, or the node does not lead, so that another one must
 * be found.
 */
export const isNodeLost = (error: unknown): boolean => {
  if (isNotLeader(error) || /leader info/i.test(messageOf(error))) return true;
  const { code, cause } = fieldsOf(error);
  if (error instanceof EventLogError) return cause !== undefined && isNodeLost(cause);
  if (code === codes.cancelled) return !/Canceled on client/.test(messageOf(error));
  return code === codes.unavailable;
};

export const isNotLeader = (error: unknown): boolean =>
  (fieldsOf(error).type ?? fieldsOf(error).metadata?.getMap?.()['exception']) ===
  ErrorType.NOT_LEADER;
/** Whether the read failed because the stream does not exist. */
export const isStreamNotFound = (error: unknown): boolean =>
  fieldsOf(error).type === ErrorType.STREAM_NOT_FOUND;
/** Whether the server cut off a live subscriber because it was too slow. */
export const isCutOff = (error: unknown): boolean => fieldsOf(error).code === codes.aborted;
/**
 * Whether the read may have failed because no record starts at its position. The error may have
 * other causes, so only another read shows what is there.
 */
export const mayMeanNoRecord = (error: unknown): boolean =>
  !isNodeLost(error) && badPositions.has(fieldsOf(error).code);

const isAccessDenied = (error: unknown): boolean =>
  fieldsOf(error).type === ErrorType.ACCESS_DENIED || refusals.has(fieldsOf(error).code);
const isStreamDeleted = (error: unknown): error is Error & { readonly streamName: string } =>
  fieldsOf(error).type === ErrorType.STREAM_DELETED;

/**
 * Whether the call found no connection, according to gRPC's own messages, so that no part of it has
 * left this process.
 */
const wasNeverSent = (error: unknown): boolean =>
  fieldsOf(error).code === codes.unavailable &&
  /No connection established|Name resolution failed/.test(messageOf(error));

const fieldsOf = (error: unknown): ClientError =>
  typeof error === 'object' && error !== null ? error : {};
