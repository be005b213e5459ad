import type { Recorded } from '@refledger/contracts';
import { messageOf } from '@refledger/event-log';

/** An event that a view's code failed on. */
export class FoldFailure extends Error {
  constructor(
    readonly event: Recorded,
    view: string,
    cause: unknown,
  ) {
    super(`the view ${view} failed on it: ${messageOf(cause)}`, { cause });
    this.name = 'FoldFailure';
  }
}
