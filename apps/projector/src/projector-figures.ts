import type { Metrics, PartHealth } from '@refledger/platform';
import { projectorName, type ProjectionStatus } from '@refledger/views';

/** Ready once the read models have caught up with the log, and while nothing stops them. */
export const projectorHealth = ({ state, error, position }: ProjectionStatus): PartHealth => ({
  part: projectorName,
  ready: state === 'live',
  detail: error === undefined ? state : `${state} at position ${position}: ${error}`,
});

/** Puts the projector's lag into the metrics, as of now. */
export const measureProjector = (metrics: Metrics, { state, position, head, lagSeconds }: ProjectionStatus): void => {
  const follower = projectorName;
  const behind = BigInt(head ?? 0) - BigInt(position ?? 0);
  metrics.followerLagSeconds.set({ follower }, lagSeconds);
  metrics.followerLagPositions.set({ follower }, behind > 0n ? Number(behind) : 0);
  metrics.followerStopped.set({ follower }, state === 'stopped' ? 1 : 0);
};
