import type { Recorded } from '@refledger/contracts';
import { messageOf } from '@refledger/event-log';

/** A projection's code failed on an event. */
export class FoldFailure extends Error {
  constructor(
    readonly event: Recorded,
    projection: string,
    cause: unknown,
  ) {
    super(`the projection ${projection} failed on it: ${messageOf(cause)}`, { cause });
    this.name = 'FoldFailure';
  }
}
