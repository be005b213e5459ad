/**
 * A position in the whole log, as a decimal string that is only compared and passed on. Positions
 * of two logs are unrelated.
 */
export type Position = string & { readonly __brand: 'Position' };

/** The id of a log: the `log_id` of its first event, which is never copied to another log. */
export type LogId = string;

/**
 * How far a processor has got: the log that it follows, a position, and the id of the event there.
 * The event id reveals a log with other events, or one that has lost its end.
 */
export interface Checkpoint {
  readonly logId: LogId;
  readonly position: Position;
  readonly eventId: string;
}

/** The pattern of a position: a decimal number of at most 20 digits. */
export const positionPattern = '^(0|[1-9][0-9]{0,19})$';
const position = new RegExp(positionPattern);

/** Parses a decimal string of at most 20 digits; undefined when the text is not one. */
export const toPosition = (text: string): Position | undefined =>
  isPosition(text) ? text : undefined;

/** Whether text is a decimal number of at most 20 digits. */
export const isPosition = (text: string): text is Position => position.test(text);

/**
 * Compares positions: negative when `a` comes before `b`, 0 when they are the same, positive when
 * it comes after.
 */
export const comparePositions = (a: Position, b: Position): number => {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
};

/** Returns the later of two positions; undefined counts as before every position. */
export const laterOf = (a: Position | undefined, b: Position | undefined): Position | undefined =>
  a === undefined || (b !== undefined && comparePositions(b, a) > 0) ? b : a;
