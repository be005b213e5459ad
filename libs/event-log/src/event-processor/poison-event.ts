import type { Recorded } from '@refledger/contracts';
import { messageOf } from '../message-of.js';

/** The parts of an event that identify it in a message. */
export interface EventMark extends Pick<Recorded, 'id' | 'position' | 'stream' | 'metadata'> {
  readonly type: string;
}

/**
 * An event that a processor can't get past. The processor stops there until an operator skips the
 * event or a later release can process it.
 */
export class PoisonEvent extends Error {
  constructor(
    readonly event: EventMark,
    cause: unknown,
  ) {
    super(
      `can't go past the event ${event.id} (${event.type}) at position ${event.position}: ${messageOf(cause)}`,
      { cause },
    );
    this.name = 'PoisonEvent';
  }
}
