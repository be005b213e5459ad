import type { ResolvedEvent } from '@eventstore/db-client';
import { isStreamName, toPosition, type EventMetadata, type Position } from '@refledger/contracts';
import { unusable } from '../../event-log-error.js';
import type { LoggedEvent } from '../../event-log.js';

/**
 * The event, if its stream has this prefix; undefined for everything else in `$all`: system events,
 * metadata, links, tombstones.
 */
export const eventOf = (
  { event }: Pick<ResolvedEvent, 'event'>,
  prefix: string,
): LoggedEvent | undefined => {
  if (event === undefined || event.type.startsWith('$')) return undefined;
  const { streamId: stream } = event;
  if (!isStreamName(stream) || !stream.startsWith(prefix)) return undefined;
  return {
    id: event.id,
    type: event.type,
    // other programs may have written data other than JSON to Refledger's streams: the codec
    // refuses it by its type
    data: event.isJson ? event.data : undefined,
    metadata: isMetadata(event.metadata)
      ? event.metadata
      : {
          account_id: null,
          actor: 'unknown',
          request_id: '',
          schema: 1,
          recorded_at: event.created.toISOString(),
        },
    stream,
    revision: Number(event.revision),
    position: positionOf(event.position?.commit),
  };
};

/** Whether this is one of Refledger's events and the server knows its position. */
export const isRefledgerEvent = ({ event }: Pick<ResolvedEvent, 'event'>): boolean =>
  event !== undefined &&
  isStreamName(event.streamId) &&
  !event.type.startsWith('$') &&
  knownPosition(event.position?.commit) !== undefined;

/**
 * The commit position of a record as a `Position`. Throws `unusable` when the server does not know
 * it.
 */
export const positionOf = (commit: bigint | undefined): Position => {
  const position = knownPosition(commit);
  if (position === undefined)
    throw unusable(
      'this EventStoreDB does not report log positions for the events of a stream. Use version 22.6 or later.',
    );
  return position;
};

/** Like `positionOf`, but undefined when there is no position. */
export const knownPosition = (commit: bigint | undefined): Position | undefined =>
  commit === undefined || commit === unknownPosition ? undefined : toPosition(commit.toString());

/** The server's value for a position that it doesn't know: the greatest 64-bit number. */
const unknownPosition = 0xffff_ffff_ffff_ffffn;

/**
 * The server's form of a position. Events written over gRPC have equal prepare and commit
 * positions.
 */
export const esdbPosition = (
  position: Position,
): { readonly commit: bigint; readonly prepare: bigint } => ({
  commit: BigInt(position),
  prepare: BigInt(position),
});

const isMetadata = (metadata: unknown): metadata is EventMetadata =>
  typeof metadata === 'object' &&
  metadata !== null &&
  'recorded_at' in metadata &&
  'schema' in metadata;
