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
  const processor = relayName;
  const behind = standingBy ? 0n : BigInt(head ?? 0) - BigInt(position ?? 0);
  metrics.processorLagSeconds.set({ processor }, standingBy ? 0 : lagSeconds);
  metrics.processorLagPositions.set({ processor }, behind > 0n ? Number(behind) : 0);
  metrics.processorStopped.set({ processor }, state === 'stopped' && !standingBy ? 1 : 0);
};
