import { isPersonalDataUnavailable } from '@refledger/personal-data';
import type { BodyMaker, Clock } from '@refledger/webhook-endpoints';

/** The work that waits because personal data does not open, and why. */
export class BlockedWork {
  private readonly reasons = new Map<string, { readonly reason: string; readonly at: number }>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Records that this work failed, if it failed because personal data does not open. */
  add(work: string, error: unknown): void {
    if (isPersonalDataUnavailable(error))
      this.reasons.set(work, { reason: error.message, at: this.clock.now() });
  }

  /** The work is done. */
  end(work: string): void {
    this.reasons.delete(work);
  }

  /** Why work waits; undefined if none does. Work that is not tried again any more does not count. */
  get reason(): string | undefined {
    const now = this.clock.now();
    for (const [work, { at }] of this.reasons) if (now - at > lapseMs) this.reasons.delete(work);
    const [first] = this.reasons.values();
    return first?.reason;
  }
}

/** Longer than any wait before a retry. */
const lapseMs = 60_000;

/** Makes bodies, and records the deliveries that wait because theirs can't be made. */
export const reportingBlockedWork = (
  bodies: Pick<BodyMaker, 'make'>,
  blockedWork: BlockedWork,
): Pick<BodyMaker, 'make'> => ({
  make: async (delivery) => {
    try {
      const body = await bodies.make(delivery);
      blockedWork.end(delivery.id);
      return body;
    } catch (error) {
      blockedWork.add(delivery.id, error);
      throw error;
    }
  },
});
