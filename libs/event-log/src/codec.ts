import {
  eventSchemas,
  eventSchemaVersion,
  type DomainEvent,
  type EventMetadata,
  type EventType,
  type Recorded,
} from '@refledger/contracts';
import type { LoggedEvent, NewEvent } from './event-log.js';
import { upcast } from './upcasters.js';

/**
 * Encodes an event for the log. Encryption of data would belong here: every event passes this
 * function.
 */
export const encodeEvent = (
  event: DomainEvent,
  id: string,
  metadata: Omit<EventMetadata, 'schema'>,
): NewEvent => ({
  id,
  type: event.type,
  data: event.data,
  metadata: { ...metadata, schema: eventSchemaVersion },
});

/**
 * Decodes an event of the log, of any schema version up to the current one. Throws
 * `UnreadableEvent`.
 */
export const decodeEvent = (logged: LoggedEvent): Recorded => {
  if (!isEventType(logged.type))
    throw new UnreadableEvent(
      logged,
      `its type ${JSON.stringify(logged.type)} is not known to this release`,
    );
  const { schema } = logged.metadata;
  if (!Number.isInteger(schema) || schema > eventSchemaVersion)
    throw new UnreadableEvent(
      logged,
      `its schema ${schema} is newer than ${eventSchemaVersion}, the one of this release`,
    );
  // the decoding border: data that this release or an older one wrote is trusted to have its type
  return (
    schema === eventSchemaVersion
      ? logged
      : { ...logged, data: upcast(logged.type, schema, logged.data) }
  ) as Recorded;
};

/** One of Refledger's events that this release can't read. */
export class UnreadableEvent extends Error {
  constructor(
    readonly event: Pick<LoggedEvent, 'id' | 'position' | 'stream' | 'type'>,
    why: string,
  ) {
    super(
      `the event ${event.id} at position ${event.position} of ${event.stream} can't be read: ${why}`,
    );
    this.name = 'UnreadableEvent';
  }
}

const isEventType = (type: string): type is EventType => Object.hasOwn(eventSchemas, type);
