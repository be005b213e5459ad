import { publicEventId, type EventId } from '@refledger/contracts';
import type { Delivery } from '@refledger/delivery-store';
import { RecordMaker, type RecordMakerOptions } from '@refledger/event-bus';
import type { EventLog } from '@refledger/event-log';
import { deliveryBody } from './delivery-body.js';

export interface BodyMakerOptions extends Pick<RecordMakerOptions, 'personalData'> {
  readonly log: Pick<EventLog, 'eventAt' | 'readStream'>;
  /** Whether an operator decided to skip an event. */
  readonly isSkipped: (eventId: EventId) => boolean;
}

/** Makes the bodies of deliveries that are stored without one, from the log. */
export class BodyMaker {
  private readonly records: RecordMaker;

  constructor(private readonly options: BodyMakerOptions) {
    this.records = new RecordMaker({ ...options, cacheSize });
  }

  /**
   * The record is as of exactly the event. Null if an operator skipped the event. Throws
   * `UnreadableEvent`, and when the log does not have the event or is not available.
   */
  async make({
    id,
    eventId,
    position,
    payload,
  }: Pick<Delivery, 'id' | 'eventId' | 'position' | 'payload'>): Promise<string | null> {
    const event = await this.options.log.eventAt(position);
    if (event === undefined || publicEventId(event.id) !== eventId)
      throw new Error(`the log has no event ${eventId} at position ${position}, for ${id}`);
    const record = await this.records.make(event);
    return record === undefined ? null : deliveryBody(record, payload);
  }
}

/**
 * Held deliveries of an endpoint are sent in the order of their events, so few streams need to stay
 * cached.
 */
const cacheSize = 1_000;
