import type { ProcessorStatus } from '@refledger/event-log';
import type { PartHealth } from './health.js';
import type { Metrics } from './metrics.js';

/** The status of an event processor that may leave the work to another one. */
export interface StandbyStatus extends ProcessorStatus {
  readonly standingBy: boolean;
}

/**
 * An event processor is ready once it has caught up with the log, and until it fails or stops. A
 * standby is ready to take over.
 */
export const processorHealth = (
  part: string,
  { state, standingBy, error, position }: StandbyStatus,
): PartHealth => {
  if (standingBy) return { part, ready: true, detail: 'standing by' };
  return {
    part,
    ready: state === 'live',
    detail: error === undefined ? state : `${state} at position ${position}: ${error}`,
  };
};

/**
 * Sets the metrics to an event processor's current position and lag. A standby reports no position
 * and no lag, since the active processor does.
 */
export const measureProcessor = (
  metrics: Metrics,
  processor: string,
  { state, standingBy, position, head, lagSeconds }: StandbyStatus,
): void => {
  const behind = standingBy ? 0n : BigInt(head ?? 0) - BigInt(position ?? 0);
  if (standingBy) metrics.processorPosition.remove({ processor });
  else metrics.processorPosition.set({ processor }, Number(position ?? 0));
  metrics.processorLagSeconds.set({ processor }, standingBy ? 0 : lagSeconds);
  metrics.processorLagPositions.set({ processor }, behind > 0n ? Number(behind) : 0);
  metrics.processorStopped.set({ processor }, state === 'stopped' && !standingBy ? 1 : 0);
};
