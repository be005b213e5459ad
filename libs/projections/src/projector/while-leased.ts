import { abortableSleep, type ProcessorLogger } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';

export interface LeaseOptions {
  readonly store: Pick<ReadStore, 'holdLease' | 'releaseLease'>;
  /** The name of the work and of its lease. */
  readonly name: string;
  readonly holder: string;
  /** The lease expires this long after its last renewal; then another holder can take it. */
  readonly leaseMs: number;
  readonly logger: ProcessorLogger;
  /** Called with whether another holder has the lease. */
  readonly onStandBy: (standingBy: boolean) => void;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic?: () => number;
}

/**
 * Does the work while it holds the lease, and stands by while another holder does. The signal of
 * the work aborts when the lease is lost, or may be lost because the store is unavailable. Rejects
 * only if the work does.
 */
export const whileLeased = async (
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  const { store, name, holder, leaseMs, logger, onStandBy } = options;
  while (!signal.aborted) {
    const isHeld = await store
      .holdLease({ name, holder, forMs: leaseMs })
      .catch((error: unknown) => {
        logger.warn(
          { processor: name, err: error },
          `${name} could not request its lease; retrying`,
        );
        return 'unknown' as const;
      });
    if (isHeld !== true) {
      if (isHeld === false) onStandBy(true);
      await abortableSleep(leaseMs / 3, signal);
      continue;
    }
    onStandBy(false);
    const lost = new AbortController();
    const until = AbortSignal.any([signal, lost.signal]);
    const keeping = keep(options, lost, until);
    try {
      await work(until);
    } finally {
      lost.abort();
      await keeping;
    }
    if (signal.aborted) await store.releaseLease({ name, holder }).catch(() => undefined);
    else logger.warn({ processor: name }, `${name} has lost its lease`);
  }
};

/**
 * Renews the lease three times per `leaseMs`. Aborts `lost` when another holder has the lease, or
 * when the lease must have expired.
 */
const keep = async (
  { store, name, holder, leaseMs, monotonic = () => performance.now() }: LeaseOptions,
  lost: AbortController,
  until: AbortSignal,
): Promise<void> => {
  let heldUntil = monotonic() + leaseMs;
  for (;;) {
    await abortableSleep(leaseMs / 3, until);
    if (until.aborted) return;
    const asked = monotonic();
    const isHeld = await Promise.race([
      store.holdLease({ name, holder, forMs: leaseMs }).catch(() => undefined),
      abortableSleep(Math.max(0, heldUntil - asked), until).then(() => undefined),
    ]);
    if (isHeld === true) heldUntil = asked + leaseMs;
    if (isHeld === false || monotonic() >= heldUntil) return lost.abort();
  }
};
