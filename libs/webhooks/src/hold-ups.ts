import { isPersonalDataUnavailable } from '@refledger/personal-data';
import type { BodyMaker, Clock } from '@refledger/webhook-endpoints';

/** The work that waits because personal data does not open, and why. */
export class HoldUps {
  private readonly holdUps = new Map<string, { readonly reason: string; readonly at: number }>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Records that this work failed, if it failed because personal data does not open. */
  add(work: string, error: unknown): void {
    if (isPersonalDataUnavailable(error))
      this.holdUps.set(work, { reason: error.message, at: this.clock.now() });
  }

  /** The work is done. */
  end(work: string): void {
    this.holdUps.delete(work);
  }

  /** Why work waits; undefined if none does. Work that is not tried again any more does not count. */
  get reason(): string | undefined {
    const now = this.clock.now();
    for (const [work, { at }] of this.holdUps) if (now - at > lapseMs) this.holdUps.delete(work);
    const [first] = this.holdUps.values();
    return first?.reason;
  }
}

/** Longer than any wait before a retry. */
const lapseMs = 60_000;

/** Makes bodies, and records the deliveries that wait because theirs can't be made. */
export const reportingHoldUps = (
  bodies: Pick<BodyMaker, 'make'>,
  holdUps: HoldUps,
): Pick<BodyMaker, 'make'> => ({
  make: async (delivery) => {
    try {
      const body = await bodies.make(delivery);
      holdUps.end(delivery.id);
      return body;
    } catch (error) {
      holdUps.add(delivery.id, error);
      throw error;
    }
  },
});
