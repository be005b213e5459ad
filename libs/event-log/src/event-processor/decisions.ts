import { streams } from '@refledger/contracts';
import { processorDecider, type ProcessorState } from '@refledger/domain';
import type { EventLog } from '../event-log.js';
import { loadStream } from '../load-stream.js';
import { abortableSleep } from './backoff.js';

/** Operators' decisions about a processor so far. */
export interface Decisions {
  readonly state: ProcessorState;
  /** How many events of the processor's own stream are included. */
  readonly count: number;
}

/** Reads the operators' decisions about a processor from its stream. */
export const readDecisions = async (log: EventLog, processor: string): Promise<Decisions> => {
  const { state, revision = -1 } = await loadStream(
    log,
    processorDecider,
    streams.processor(processor),
  );
  return { state, count: revision + 1 };
};

interface DecisionWait {
  readonly log: EventLog;
  readonly processor: string;
  /** The decisions that the processor knows. */
  readonly known: Decisions;
  readonly signal: AbortSignal;
  /** Whether the processor may continue without a decision. */
  readonly isTime: () => boolean;
}

/**
 * Resolves when there is a new decision, when `isTime` returns true, or when the signal aborts.
 * Keeps trying while the log is unavailable.
 */
export const nextDecision = async (waiting: DecisionWait): Promise<void> => {
  const { log, processor, known, signal, isTime } = waiting;
  while (!signal.aborted && !isTime() && !(await isThereMore(log, processor, known)))
    await abortableSleep(pollMs, signal);
};

const pollMs = 250;

const isThereMore = async (
  log: EventLog,
  processor: string,
  { count }: Decisions,
): Promise<boolean> => {
  try {
    for await (const events of log.readStream(streams.processor(processor), { from: count }))
      // the processor itself records its stop
      if (events.some(({ type }) => type !== 'processor.stopped')) return true;
  } catch {
    // the processor reports the log's error once it continues
  }
  return false;
};
