import { comparePositions, type EventMetadata, type Position } from '@refledger/contracts';

/**
 * An operator's decision that takes events out of log time, because the clock of their writer was
 * far ahead.
 */
export interface IgnoredTime {
  /** The first event that was far ahead. */
  readonly from: Position;
  /** The decision itself. */
  readonly through: Position;
  /** Of the events in between, those recorded at this instant or later are out of log time. */
  readonly recordedAt: string;
  /** The instant of the decision. */
  readonly decidedAt: string;
}

/** Events that operators have excluded from log time. */
export interface OutOfLogTime {
  /** The ids of the events that posting skips. */
  readonly skipped: ReadonlySet<string>;
  readonly ignoredTimes: readonly IgnoredTime[];
}

/** The parts of an event that decide whether it counts for log time. */
interface TimedEvent {
  readonly id: string;
  readonly position: Position;
  readonly metadata: Pick<EventMetadata, 'account_id' | 'recorded_at' | 'time_kept'>;
}

/**
 * Whether an event moves log time: the latest `recorded_at` so far. Events that belong to no
 * account do not, nor does an event that kept the time of the event before it in its stream.
 */
export const movesLogTime = ({
  account_id,
  time_kept,
}: Pick<EventMetadata, 'account_id' | 'time_kept'>): boolean =>
  account_id !== null && time_kept !== true;

/** Whether an operator has taken an event out of log time. */
export const isOutOfLogTime = (
  event: TimedEvent,
  { skipped, ignoredTimes }: OutOfLogTime,
): boolean => skipped.has(event.id) || ignoredTimes.some((ignored) => covers(ignored, event));

/** Whether an event counts for log time, by what operators have decided. */
export const countsForLogTime = (event: TimedEvent, excluded: OutOfLogTime): boolean =>
  movesLogTime(event.metadata) && !isOutOfLogTime(event, excluded);

/**
 * Returns log time after an event: the latest `recorded_at` so far (RFC 3339 in UTC). An event that
 * an operator skipped does not move it, since its clock may have been wrong. A ignored event
 * does not move it either; if there was no event before it, log time starts with the decision.
 */
export const logTimeAfter = (
  before: string | null,
  event: TimedEvent,
  { skipped, ignoredTimes }: OutOfLogTime,
): string | null => {
  if (!movesLogTime(event.metadata) || skipped.has(event.id)) return before;
  const [decidedAt] = ignoredTimes
    .filter((ignored) => covers(ignored, event))
    .map((ignored) => ignored.decidedAt)
    .sort();
  if (decidedAt !== undefined) return before ?? decidedAt;
  const { recorded_at } = event.metadata;
  return before === null || recorded_at > before ? recorded_at : before;
};

/**
 * How far log time may be ahead of a clock, in milliseconds. One clock far ahead must not move the
 * entries of every account into another month.
 */
export const maxAheadMs = 10 * 60_000;

/** Whether a time (RFC 3339) is further ahead of a clock (milliseconds since 1970) than allowed. */
export const isFarAhead = (time: string | null, now: number): boolean =>
  time !== null && Date.parse(time) > now + maxAheadMs;

const covers = (
  { from, through, recordedAt }: IgnoredTime,
  { position, metadata }: TimedEvent,
): boolean =>
  metadata.recorded_at >= recordedAt &&
  comparePositions(position, from) >= 0 &&
  comparePositions(position, through) <= 0;
