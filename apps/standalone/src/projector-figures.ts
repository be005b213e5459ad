import type { Metrics, PartHealth } from '@refledger/platform';
import type { ProjectionStatus } from '@refledger/views';

/** Ready once the read models have caught up with the log, and while nothing stops them. */
export const projectorHealth = ({ state, error, position }: ProjectionStatus): PartHealth => ({
  part: 'projector',
  ready: state === 'live',
  detail: error === undefined ? state : `${state} at position ${position}: ${error}`,
});

export const projectorLag = (metrics: Metrics, { state, position, head, lagSeconds }: ProjectionStatus): void => {
  const follower = 'projector';
  metrics.followerLagSeconds.set({ follower }, lagSeconds);
  metrics.followerLagPositions.set({ follower }, Math.max(0, Number(head ?? 0) - Number(position ?? 0)));
  metrics.followerStopped.set({ follower }, state === 'stopped' ? 1 : 0);
};
