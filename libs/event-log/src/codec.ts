import {
  completeData,
  eventSchemaVersion,
  isEventType,
  recordedData,
  type DomainEvent,
  type EventMetadata,
  type RecordedEvent,
} from '@refledger/contracts';
import type { LoggedEvent, NewEvent } from './event-log.js';

/**
 * Encodes an event for the log, without the members that decoding supplies. Its personal values are
 * sealed already.
 */
export const encodeEvent = (
  event: DomainEvent,
  id: string,
  metadata: Omit<EventMetadata, 'schema'>,
): NewEvent => ({
  id,
  type: event.type,
  data: recordedData(event, metadata),
  metadata: { schema: eventSchemaVersion, ...metadata },
});

/** Decodes an event of the log. Throws `UnreadableEvent`, also for one of a newer schema version. */
export const decodeEvent = (logged: LoggedEvent): RecordedEvent => {
  if (!isEventType(logged.type))
    throw new UnreadableEvent(
      logged,
      `this release does not know its type ${JSON.stringify(logged.type)}`,
    );
  const { schema } = logged.metadata;
  if (!Number.isInteger(schema) || schema > eventSchemaVersion)
    throw new UnreadableEvent(
      logged,
      `its schema ${schema} is newer than schema ${eventSchemaVersion} of this release`,
    );
  // the decoding boundary: data of a known schema version is trusted to have its type
  const data = completeData(logged);
  return (data === logged.data ? logged : { ...logged, data }) as RecordedEvent;
};

/** Whether this release can decode an event of the log. */
export const isReadable = (logged: LoggedEvent): boolean => {
  try {
    decodeEvent(logged);
    return true;
  } catch (error) {
    if (error instanceof UnreadableEvent) return false;
    throw error;
  }
};

/** One of Refledger's events that this release can't read. */
export class UnreadableEvent extends Error {
  constructor(
    readonly event: Pick<LoggedEvent, 'id' | 'position' | 'stream' | 'type'>,
    why: string,
  ) {
    super(
      `the event ${event.id} at position ${event.position} of ${event.stream} cannot be read: ${why}`,
    );
    this.name = 'UnreadableEvent';
  }
}
