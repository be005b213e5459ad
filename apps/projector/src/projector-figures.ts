import type { Metrics, PartHealth } from '@refledger/platform';
import { projectorName, type ProjectorStatus } from '@refledger/projections';

/**
 * The projector is ready once the read models have caught up with the log, and until it stops. A
 * standby is ready to take over.
 */
export const projectorHealth = ({
  state,
  standingBy,
  error,
  position,
}: ProjectorStatus): PartHealth => {
  if (standingBy) return { part: projectorName, ready: true, detail: 'standing by' };
  return {
    part: projectorName,
    ready: state === 'live',
    detail: error === undefined ? state : `${state} at position ${position}: ${error}`,
  };
};

/**
 * Sets the metrics to the projector's current lag. A standby reports 0, since the active projector
 * reports the lag.
 */
export const measureProjector = (
  metrics: Metrics,
  { state, standingBy, position, head, lagSeconds }: ProjectorStatus,
): void => {
  const processor = projectorName;
  const behind = standingBy ? 0n : BigInt(head ?? 0) - BigInt(position ?? 0);
  metrics.processorLagSeconds.set({ processor }, standingBy ? 0 : lagSeconds);
  metrics.processorLagPositions.set({ processor }, behind > 0n ? Number(behind) : 0);
  metrics.processorStopped.set({ processor }, state === 'stopped' && !standingBy ? 1 : 0);
};
