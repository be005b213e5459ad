import { relayName, type RelayStatus } from '@refledger/event-bus';
import type { Metrics, PartHealth } from '@refledger/platform';

/** Ready once everything in the log is published, and while nothing stops it; one that stands by is ready to take over. */
export const relayHealth = ({ state, standingBy, error, position }: RelayStatus): PartHealth => {
  if (standingBy) return { part: relayName, ready: true, detail: 'standing by' };
  return {
    part: relayName,
    ready: state === 'live',
    detail: error === undefined ? state : `${state} at position ${position}: ${error}`,
  };
};

/** Puts the relay's lag into the metrics, as of now. One that stands by leaves that to the one that publishes. */
export const measureRelay = (
  metrics: Metrics,
  { state, standingBy, position, head, lagSeconds }: RelayStatus,
): void => {
  const follower = relayName;
  const behind = standingBy ? 0n : BigInt(head ?? 0) - BigInt(position ?? 0);
  metrics.followerLagSeconds.set({ follower }, standingBy ? 0 : lagSeconds);
  metrics.followerLagPositions.set({ follower }, behind > 0n ? Number(behind) : 0);
  metrics.followerStopped.set({ follower }, state === 'stopped' && !standingBy ? 1 : 0);
};
