import type { Recorded } from '@refledger/contracts';
import { messageOf } from '../message-of.js';

/** What names an event in a message. */
export interface EventMark extends Pick<Recorded, 'id' | 'position' | 'stream' | 'metadata'> {
  readonly type: string;
}

/** An event that a processor can't get past: it stops there until an operator skips the event or a release understands it. */
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
