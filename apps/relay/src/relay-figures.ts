import { relayName, type RelayStatus } from '@refledger/event-bus';
import type { Metrics, PartHealth } from '@refledger/platform';

/**
 * The relay is ready once everything in the log is published, and until it stops. A standby is
 * ready to take over.
 */
export const relayHealth = ({ state, standingBy, error, position }: RelayStatus): PartHealth => {
  if (standingBy) return { part: relayName, ready: true, detail: 'standing by' };
  return {
    part: relayName,
    ready: state === 'live',
    detail: error === undefined ? state : `${state} at position ${position}: ${error}`,
  };
};

/**
 * Sets the metrics to the relay's current lag. A standby reports 0, since the active relay reports
 * the lag.
 */
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
