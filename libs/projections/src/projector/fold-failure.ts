import type { Recorded } from '@refledger/contracts';
import { messageOf } from '@refledger/event-log';

/** An event that a projection's code failed on. */
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
