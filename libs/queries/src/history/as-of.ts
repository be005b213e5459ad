import {
  isPosition,
  toInstant,
  validationError,
  type DomainError,
  type Position,
} from '@refledger/contracts';
import type { CommandHandler, PositionsAtTimes, Reader } from '@refledger/application';

/** The query parameters of an operation that reads one record. */
export interface AsOfParameters {
  /** A position, or an RFC 3339 time. */
  readonly as_of?: string | undefined;
}

/** What is needed to find the position of a time. */
export interface AsOfParts {
  readonly commands: Pick<CommandHandler, 'instant'>;
  readonly times: Pick<PositionsAtTimes, 'positionAt'>;
}

/** The field of a request that holds a position or a time, for the errors about it. */
export interface Bound {
  readonly name: string;
  readonly path: string;
}

const asOfParameter: Bound = { name: 'as_of', path: 'as_of' };

/**
 * The position that `as_of` names; undefined for a time before the log began. Throws
 * `validation_failed` for a time ahead of the clock.
 */
export const positionOf = async (
  asOf: string,
  reader: Reader,
  parts: AsOfParts,
): Promise<Position | undefined> =>
  isPosition(asOf)
    ? asOf
    : positionAt(pastTime(asOf, parts.commands.instant(), asOfParameter), reader, parts);

/** The last position up to a time in milliseconds since 1970; undefined before the log began. */
export const positionAt = (
  time: number,
  reader: Reader,
  { times }: Pick<AsOfParts, 'times'>,
): Promise<Position | undefined> =>
  // Before 1970 there was no log.
  times.positionAt(toInstant(Math.max(0, time)), reader);

/**
 * An RFC 3339 time in milliseconds since 1970. Throws `validation_failed` if it is ahead of `now`.
 */
export const pastTime = (text: string, now: string, bound: Bound): number => {
  const time = Date.parse(text);
  if (time <= Date.parse(now)) return time;
  throw tooLarge(
    bound,
    `is ${text}, but the service's clock says ${now}. Send a time that has passed.`,
  );
};

/** The error for a position that the log has not reached. */
export const aheadOfTheLog = (position: Position, bound: Bound = asOfParameter): DomainError =>
  tooLarge(
    bound,
    `is ${position}, which is beyond the end of the event log. Send the position of a response, a webhook or a change.`,
  );

const tooLarge = ({ name, path }: Bound, problem: string): DomainError =>
  validationError({ path, code: 'too_large', message: `${name} ${problem}` });
