import type { Position, RecordedEvent } from '@refledger/contracts';
import type { ProcessorState } from '@refledger/domain';
import type { EventLog, LogBatch } from '../event-log.js';
import { messageOf } from '../message-of.js';
import { backoffMs, sleepBeforeRetry } from './backoff.js';
import { nextDecision, readDecisions, type Decisions } from './decisions.js';
import type { ProcessorProgress } from './processor-progress.js';

/** The part of a logger (pino's) that processors need. */
export interface ProcessorLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Follows the log from a checkpoint of its own. */
export interface EventProcessor {
  /** Names its stream `refledger.processor-<name>`, which holds the operators' decisions. */
  readonly name: string;
  readonly log: EventLog;
  readonly logger: ProcessorLogger;
  readonly progress: ProcessorProgress;
  /**
   * Called before each subscription: checks the checkpoint and returns the position after which to
   * continue. Throws `ProcessorRefusal` when only an operator can decide that.
   */
  start(decisions: ProcessorState): Promise<Position | undefined>;
  /**
   * Processes a batch and saves its checkpoint durably. Throws `PoisonEvent` for an event that it
   * can't get past; other errors are retried.
   */
  handle(batch: LogBatch): Promise<void>;
  /** Called after each batch and awaited before the next one is read. */
  linger?(batch: LogBatch): Promise<void>;
}

/** The parts of an event that identify it in a message. */
export interface EventMark extends Pick<RecordedEvent, 'id' | 'position' | 'stream' | 'metadata'> {
  readonly type: string;
}

/** How a processor gets past a poison event. */
interface PoisonRemedy {
  /** When it tries again by itself (milliseconds since 1970); undefined: never. */
  readonly continuesAt?: number;
  /** The operator's alternative to skipping the event. */
  readonly advice?: string;
}

/**
 * An event that a processor can't get past. The processor stops there until an operator skips the
 * event or a later release can process it.
 */
export class PoisonEvent extends Error {
  constructor(
    readonly event: EventMark,
    cause: unknown,
    readonly way: PoisonRemedy = {},
  ) {
    super(
      `cannot handle event ${event.id} (${event.type}) at position ${event.position}: ${messageOf(cause)}`,
      { cause },
    );
    this.name = 'PoisonEvent';
  }
}

/**
 * The processor must not continue by itself: its checkpoint does not fit the log, and a guess would
 * skip events or process them again.
 */
export class ProcessorRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProcessorRefusal';
  }
}

/** Maximum number of events per batch. */
export const processorBatchSize = 1000;

/**
 * Follows the log until the signal aborts. A failure is retried from the checkpoint, without limit
 * and with increasing delays. A poison event, or a refusal to start, is logged as an error and
 * stops the processor until there is a new decision in its stream. Never rejects.
 */
export const follow = async (processor: EventProcessor, signal: AbortSignal): Promise<void> => {
  let failures = 0;
  while (!signal.aborted) {
    let decisions: Decisions | undefined;
    const recovery = processor.log.availability?.recovery;
    try {
      decisions = await readDecisions(processor.log, processor.name);
      await followOnce(processor, decisions.state, signal, () => (failures = 0));
      if (!signal.aborted) throw new Error('the subscription ended');
    } catch (error) {
      if (signal.aborted) return;
      if (
        (error instanceof PoisonEvent || error instanceof ProcessorRefusal) &&
        decisions !== undefined
      )
        await stop(processor, error, decisions, signal);
      else await sleepBeforeRetry(reportRetry(processor, error, ++failures), signal, recovery);
    }
  }
};

const followOnce = async (
  processor: EventProcessor,
  decisions: ProcessorState,
  signal: AbortSignal,
  onHandled: () => void,
): Promise<void> => {
  const { log, progress } = processor;
  const after = await processor.start(decisions);
  if (signal.aborted) return;
  progress.start(after, await log.head());
  for await (const batch of log.subscribe({ after, signal, batchSize: processorBatchSize })) {
    progress.startBatch(batch);
    if (batch.events.length > 0) await processor.handle(batch);
    progress.handled(batch);
    if (progress.isAtKnownHead) progress.caughtUp(await log.head());
    onHandled();
    await processor.linger?.(batch);
  }
};

const stop = async (
  processor: EventProcessor,
  reason: PoisonEvent | ProcessorRefusal,
  known: Decisions,
  signal: AbortSignal,
): Promise<void> => {
  const { name, log, logger, progress } = processor;
  if (reason instanceof PoisonEvent) reportPoison(processor, reason);
  else reportRefusal(processor, reason);
  const continuesAt = reason instanceof PoisonEvent ? reason.way.continuesAt : undefined;
  const isTime = (): boolean => continuesAt !== undefined && progress.now() >= continuesAt;
  await nextDecision({ log, processor: name, known, signal, isTime });
  if (!signal.aborted)
    logger.info(
      { processor: name },
      `${name} continues: ${isTime() ? 'its clock has reached the event' : 'there is a new decision'}`,
    );
};

const reportPoison = ({ name, logger, progress }: EventProcessor, poison: PoisonEvent): void => {
  const { id, type, position, stream, metadata } = poison.event;
  const { advice = `Fix the cause, or skip the event: ops skip ${name} ${position}` } = poison.way;
  progress.fail('stopped', poison, Date.parse(metadata.recorded_at));
  logger.error(
    { processor: name, position, event_id: id, event_type: type, stream, err: poison },
    `${name} has stopped at position ${position}. ${advice}`,
  );
};

const reportRefusal = (
  { name, logger, progress }: EventProcessor,
  refusal: ProcessorRefusal,
): void => {
  const advice = `Decide where it continues: ops resume ${name} --from start|head|<position>`;
  progress.fail('stopped', `${refusal.message}. ${advice}`);
  logger.error({ processor: name }, `${name} refuses to continue: ${refusal.message}. ${advice}`);
};

/** Reports a failure, and returns how long to wait before the next attempt, in milliseconds. */
const reportRetry = (
  { name, logger, progress }: EventProcessor,
  error: unknown,
  failures: number,
): number => {
  const wait = backoffMs(failures, Math.random());
  progress.fail('retrying', error);
  logger.warn(
    { processor: name, failures, wait_ms: Math.round(wait), err: error },
    `${name} failed; retrying from its checkpoint`,
  );
  return wait;
};
