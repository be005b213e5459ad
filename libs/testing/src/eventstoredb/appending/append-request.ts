import type { StreamIdentifier as StreamIdentifierMessage } from '@eventstore/db-client/generated/shared_pb.js';
import type * as messages from '@eventstore/db-client/generated/streams_pb.js';
import type { ExpectedRevision, ProposedRecord } from './append-check.js';

/** The maximum size of one append, in bytes. */
export const maxAppendSize = 1_048_576;

type ProposedMessage = messages.AppendReq.ProposedMessage | messages.BatchAppendReq.ProposedMessage;

export const streamOf = (identifier: StreamIdentifierMessage | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();

/**
 * Returns what an append expects of the stream. The two kinds of append differ only in how they
 * name a revision.
 */
export const expectedOf = (
  options: {
    hasAny(): boolean;
    hasStreamExists(): boolean;
    hasNoStream(): boolean;
  },
  revision: string,
): ExpectedRevision => {
  if (options.hasAny()) return 'any';
  if (options.hasStreamExists()) return 'exists';
  return options.hasNoStream() ? -1 : Number(revision);
};

export const proposedRecord = (message: ProposedMessage): ProposedRecord => ({
  id: idOf(message),
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

/**
 * Returns why these records cannot be appended to any stream, in the server's words or as
 * `too_large`; undefined when they can.
 */
export const faultOf = (events: readonly ProposedRecord[]): string | undefined => {
  if (sizeOf(events) > maxAppendSize) return 'too_large';
  if (events.some(({ type }) => type === '')) return "Required Metadata Property 'type' is missing";
  if (events.some(({ contentType }) => contentType === ''))
    return "Required Metadata Property 'content-type' is missing";
  if (events.some(({ id }) => !isEventId(id))) return 'Empty eventId provided.';
  return undefined;
};

/** Returns the size as version 24 of the server counts it: a type takes two bytes per character. */
const sizeOf = (events: readonly ProposedRecord[]): number =>
  events.reduce(
    (sum, { type, data, metadata }) => sum + data.length + metadata.length + 2 * type.length,
    0,
  );

/** Whether the id is a UUID that is not zero. */
const isEventId = (id: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) && !/^[0-]+$/.test(id);

const idOf = (message: ProposedMessage): string => {
  const id = message.getId();
  if (id?.hasString() === true) return id.getString().toLowerCase();
  const hex = [
    id?.getStructured()?.getMostSignificantBits(),
    id?.getStructured()?.getLeastSignificantBits(),
  ]
    .map((bits) =>
      BigInt.asUintN(64, BigInt(bits ?? 0))
        .toString(16)
        .padStart(16, '0'),
    )
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
