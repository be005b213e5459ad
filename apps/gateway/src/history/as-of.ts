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
  readonly times: Pick<PositionsAtTimes, 'at'>;
}

/**
 * The position that `as_of` names; undefined for a time before the log began. Throws
 * `validation_failed` for a time ahead of the clock.
 */
export const positionOf = async (
  asOf: string,
  reader: Reader,
  { commands, times }: AsOfParts,
): Promise<Position | undefined> => {
  if (isPosition(asOf)) return asOf;
  const now = commands.instant();
  const time = Date.parse(asOf);
  if (time > Date.parse(now)) throw aheadOfNow(asOf, now);
  // Before 1970 there was no log, and before the year 0 an instant would have another form.
  return times.at(toInstant(Math.max(0, time)), reader);
};

/** The error for a position that the log has not reached. */
export const aheadOfTheLog = (asOf: Position): DomainError =>
  tooLarge(
    `as_of is ${asOf}, which is beyond the end of the event log. Send the position of a response, a webhook or a change.`,
  );

const aheadOfNow = (asOf: string, now: string): DomainError =>
  tooLarge(`as_of is ${asOf}, but the service's clock says ${now}. Send a time that has passed.`);

const tooLarge = (message: string): DomainError =>
  validationError([{ path: 'as_of', code: 'too_large', message }]);
