import { ErrorType } from '@eventstore/db-client';
import { EventLogError } from '../event-log-error.js';
import { messageOf } from '../message-of.js';

/** The parts of a gRPC error that say what happened. */
interface RpcError {
  readonly code?: unknown;
  readonly metadata?: { readonly getMap?: () => Record<string, unknown> };
}

/** gRPC's numbers for what is told apart here. */
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

/** What a call that only reads ended with. Nothing was written by it, so all that may pass is `unavailable`. */
export const asEventLogError = (error: unknown, hosts: string): EventLogError => {
  if (error instanceof EventLogError) return error;
  if (isAccessDenied(error))
    return new EventLogError(
      { kind: 'unusable' },
      `EventStoreDB at ${hosts} refuses the user or the password in EVENT_LOG_URL, or what this user may do: ${messageOf(error)}`,
      { cause: error },
    );
  if (isStreamDeleted(error))
    return new EventLogError(
      { kind: 'unusable' },
      `a stream of the event log was deleted for good (${error.streamName}): nothing of ours does that`,
      { cause: error },
    );
  return new EventLogError(
    { kind: 'unavailable' },
    `EventStoreDB at ${hosts} can't be reached now: ${messageOf(error)}`,
    { cause: error },
  );
};

/** As `asEventLogError`, at the start, when a certificate that isn't trusted is a mistake to mend and not an outage to wait for. */
export const asStartError = (error: unknown, hosts: string): EventLogError => {
  if (
    !/certificate|CERT_|self.signed|unable to verify|ALTNAME|EPROTO|wrong version number/i.test(
      messageOf(error),
    )
  )
    return asEventLogError(error, hosts);
  return new EventLogError(
    { kind: 'unusable' },
    `EventStoreDB at ${hosts} can't be trusted, or its TLS is not what EVENT_LOG_URL says (tls, tlsCAFile): ${messageOf(error)}`,
    { cause: error },
  );
};

/** What became of an append whose stream of calls ended with this error before it was answered. */
export const appendFault = (error: unknown, hosts: string): EventLogError => {
  if (error instanceof EventLogError) return error;
  if (isAccessDenied(error)) return asEventLogError(error, hosts);
  if (neverLeft(error))
    return new EventLogError(
      { kind: 'unavailable' },
      `EventStoreDB at ${hosts} can't be reached now: ${messageOf(error)}`,
      { cause: error },
    );
  return new EventLogError(
    { kind: 'unknown_outcome' },
    `EventStoreDB at ${hosts} ended the call before it answered: ${messageOf(error)}`,
    { cause: error },
  );
};

/** The node that one which does not lead names as the leader: `host:port`. */
export const leaderNamedIn = (error: unknown): string | undefined => {
  const { leader, cause } = fieldsOf(error);
  if (leader !== undefined) return `${leader.address}:${leader.port}`;
  const map = isNotLeader(error) ? rpc(error).metadata?.getMap?.() : undefined;
  if (map !== undefined)
    return `${String(map['leader-endpoint-host'])}:${String(map['leader-endpoint-port'])}`;
  return error instanceof EventLogError && cause !== undefined ? leaderNamedIn(cause) : undefined;
};

/** Whether the way to this node is over, or it does not lead: another is to be looked for. */
export const isNodeLost = (error: unknown): boolean => {
  if (isNotLeader(error) || /leader info/i.test(messageOf(error))) return true;
  const { code, cause } = fieldsOf(error);
  if (error instanceof EventLogError) return cause !== undefined && isNodeLost(cause);
  if (code === codes.cancelled) return !/Canceled on client/.test(messageOf(error));
  return code === codes.unavailable;
};

export const isNotLeader = (error: unknown): boolean =>
  (typeOf(error) ?? rpc(error).metadata?.getMap?.()['exception']) === ErrorType.NOT_LEADER;
export const isStreamNotFound = (error: unknown): boolean =>
  typeOf(error) === ErrorType.STREAM_NOT_FOUND;
/** A live subscriber that was too slow is told so. */
export const isCutOff = (error: unknown): boolean => rpc(error).code === codes.aborted;
/**
 * Perhaps no record begins where a read was to begin. It may mean anything else, too, so nothing but
 * another read says what is there.
 */
export const mayBeNoRecord = (error: unknown): boolean =>
  !isNodeLost(error) && badPositions.has(rpc(error).code);

const isAccessDenied = (error: unknown): boolean =>
  typeOf(error) === ErrorType.ACCESS_DENIED || refusals.has(rpc(error).code);
const isStreamDeleted = (error: unknown): error is Error & { readonly streamName: string } =>
  typeOf(error) === ErrorType.STREAM_DELETED;

/** gRPC's own words for a call that found no connection: nothing of it has left this process. */
const neverLeft = (error: unknown): boolean =>
  rpc(error).code === codes.unavailable &&
  /No connection established|Name resolution failed/.test(messageOf(error));

const typeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
const rpc = (error: unknown): RpcError =>
  typeof error === 'object' && error !== null ? error : {};
const fieldsOf = (
  error: unknown,
): {
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly leader?: { readonly address: string; readonly port: number };
} => (typeof error === 'object' && error !== null ? error : {});
