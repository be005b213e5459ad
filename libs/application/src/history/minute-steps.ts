import type { Position } from '@refledger/contracts';
import { countsForLogTime, noDecisions, type OutOfLogTime } from '@refledger/domain';
import type { LoggedEvent } from '@refledger/event-log';

/** The point at which the log reaches a minute, as far as the marks show it. */
export interface MinuteStart {
  /** Everything up to here was recorded before the minute; undefined is the log's start. */
  readonly after: Position | undefined;
  /** Whether an event that was recorded in the minute or later is marked. */
  readonly isMarked: boolean;
  /** The marks reflect at least every event up to here. */
  readonly through: Position | undefined;
}

/** Log time rises to `time`; the event before that is at `before`. Undefined: there is none. */
interface Step {
  readonly time: string;
  readonly before: Position | undefined;
}

/**
 * How log time rises within one minute, such as `2026-11-24T10:05`. However many events were
 * recorded in the minute, it rises at most 60,000 times, since times are in milliseconds. So once
 * the minute has been read, the log need not be read again for any time in it.
 */
export class MinuteSteps {
  private readonly steps: Step[] = [];
  private logTime: string;

  /** All events up to `last` were recorded before the minute, or are out of log time. */
  constructor(
    private readonly minute: string,
    private last: Position | undefined,
    private readonly excluded: OutOfLogTime = noDecisions,
  ) {
    this.logTime = `${minute}:00.000Z`;
  }

  /** The last event that was taken. */
  get lastPosition(): Position | undefined {
    return this.last;
  }

  get size(): number {
    return this.steps.length;
  }

  /** Whether the log has an event recorded after the minute, so that nothing can be added. */
  get isComplete(): boolean {
    return !this.logTime.startsWith(this.minute);
  }

  /** Takes the next event of the log. */
  apply(event: Pick<LoggedEvent, 'id' | 'position' | 'metadata'>): void {
    const { position, metadata } = event;
    const { recorded_at: time } = metadata;
    if (!this.isComplete && time > this.logTime && countsForLogTime(event, this.excluded)) {
      this.steps.push({ time, before: this.last });
      this.logTime = time;
    }
    this.last = position;
  }

  /** The first step to a time after an instant of the minute; undefined if there is none yet. */
  stepAfter(instant: string): Step | undefined {
    if (this.logTime <= instant) return undefined;
    let [from, to] = [0, this.steps.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.steps[middle]?.time ?? '') > instant) to = middle;
      else from = middle + 1;
    }
    return this.steps[from];
  }
}
