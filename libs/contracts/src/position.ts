/** A place in the whole log, as a decimal string: only ever compared and carried. Positions of two logs have nothing to do with each other. */
export type Position = string & { readonly __brand: 'Position' };

/** The id of a log: the `log_id` of its first event, never copied to another log. */
export type LogId = string;

/** How far a processor has come: the log it followed, the position, and the event there, by which another log or a torn tail shows. */
export interface Checkpoint {
  readonly logId: LogId;
  readonly position: Position;
  readonly eventId: string;
}

/** A decimal number of at most 20 digits. */
export const positionPattern = '^(0|[1-9][0-9]{0,19})$';
const position = new RegExp(positionPattern);

/** Reads a decimal string of at most 20 digits; undefined when it isn't one. */
export const toPosition = (text: string): Position | undefined =>
  position.test(text) ? (text as Position) : undefined;

/** Negative when `a` comes before `b`, 0 when they are the same, positive when it comes after. */
export const comparePositions = (a: Position, b: Position): number => {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
};

/** The later of the two; undefined counts as before everything. */
export const laterOf = (a: Position | undefined, b: Position | undefined): Position | undefined =>
  a === undefined || (b !== undefined && comparePositions(b, a) > 0) ? b : a;
