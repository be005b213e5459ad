import { comparePositions, DomainError, type Position } from '@refledger/contracts';
import type { PostingDecisions } from '@refledger/domain';
import { readPostingDecisions, type EventLog } from '@refledger/event-log';
import type { Reader } from '../consistency/consistency.js';
import { KeyedMutex } from '../keyed-mutex.js';
import { MinuteCache } from './minute-cache.js';
import type { MinuteStart, MinuteSteps } from './minute-steps.js';
import type { ThrottledReads } from './throttled-reads.js';

/** The read model of minute index. */
export interface Marks {
  /** Undefined while no build can be read. */
  startOf(instant: string): Promise<MinuteStart | undefined>;
  /** Waits until the marks reflect what is now the end of the log. */
  settle(reader: Reader): Promise<void>;
}

export interface PositionsAtTimesParts {
  readonly log: Pick<EventLog, 'readAll' | 'readStream'>;
  readonly marks: Marks;
  readonly throttledReads: ThrottledReads;
  /** How long one read may take to read a minute of the log. */
  readonly timeoutMs: number;
}

/**
 * Finds the position of a time: the end of the longest prefix of the log whose log time is not
 * after it. The minute index leads to the time's minute, and that minute is read from the log,
 * once. Events that an operator has taken out of log time do not count, even before the marks are
 * built again without it.
 */
export class PositionsAtTimes {
  private readonly kept = new MinuteCache();
  /** Reads of one minute take turns, so that its events are read once. */
  private readonly mutex = new KeyedMutex();

  constructor(private readonly parts: PositionsAtTimesParts) {}

  /**
   * The position of an instant, in the form of `toInstant`; undefined when the log starts after it.
   * Until the log has an event recorded after the instant, a later call may return a later
   * position. Throws `read_model_behind` if the marks do not reach the end of the log in time, or
   * if the minute has too many events to read in time; what was read is kept, so that a retry
   * continues from there.
   */
  async positionAt(instant: string, reader: Reader): Promise<Position | undefined> {
    const deadline = performance.now() + this.parts.timeoutMs;
    const decisions = await readPostingDecisions(this.parts.log);
    const start = await this.startOf(instant, reader);
    const minute = instant.slice(0, minuteLength);
    const known = this.kept.find(minute, start, decisions)?.stepAfter(instant);
    if (known !== undefined) return known.before;
    return this.parts.throttledReads.run(reader, () =>
      this.mutex.run(minute, () => this.read({ instant, minute, start, decisions, deadline })),
    );
  }

  /** Waits for the marks only if they have not reached the minute yet. */
  private async startOf(instant: string, reader: Reader): Promise<MinuteStart> {
    const { marks } = this.parts;
    const start = await marks.startOf(instant);
    if (start?.isMarked === true) return start;
    await marks.settle(reader);
    const settled = await marks.startOf(instant);
    if (settled === undefined) throw behindError('The minute index is being built.');
    return settled;
  }

  private async read({
    instant,
    minute,
    start,
    decisions,
    deadline,
  }: MinuteRead): Promise<Position | undefined> {
    const steps = this.kept.stepsOf(minute, start, decisions);
    if (steps.stepAfter(instant) === undefined)
      await this.readOn(steps, instant, deadline).finally(() => this.kept.trim());
    const step = steps.stepAfter(instant);
    if (step !== undefined) return step.before;
    if (isBefore(steps.lastPosition, start.through)) throw behindError('The event log is behind.');
    return steps.lastPosition;
  }

  /** Reads on to the step after the instant, or to the end of the log. */
  private async readOn(steps: MinuteSteps, instant: string, deadline: number): Promise<void> {
    const { log, throttledReads } = this.parts;
    const batches = log.readAll({ after: steps.lastPosition, batchSize });
    for await (const { events } of throttledReads.batches(batches)) {
      for (const event of events) steps.apply(event);
      if (steps.stepAfter(instant) !== undefined) return;
      if (performance.now() > deadline)
        throw behindError(`There are too many events in the minute of ${instant} to read in time.`);
    }
  }
}

/** The minute of an instant, to be read from its start until the deadline. */
interface MinuteRead {
  readonly instant: string;
  readonly minute: string;
  readonly start: MinuteStart;
  readonly decisions: PostingDecisions;
  readonly deadline: number;
}

/** Few enough events that reading them delays other requests by about a millisecond. */
const batchSize = 100;

const { length: minuteLength } = '2026-11-24T10:05';

const isBefore = (a: Position | undefined, b: Position | undefined): boolean =>
  b !== undefined && (a === undefined || comparePositions(a, b) < 0);

const behindError = (why: string): DomainError =>
  new DomainError('read_model_behind', `${why} Retry later.`);
