import { InvalidArgumentError } from 'commander';
import { toPosition, type Position } from '@refledger/contracts';

/** Parses a position from the command line. Throws `InvalidArgumentError`. */
export const positionArgument = (text: string): Position => {
  const position = toPosition(text);
  if (position === undefined)
    throw new InvalidArgumentError('A position is a number in decimal digits, as tail shows it.');
  return position;
};

/** Parses a count from 0 to 9999999 from the command line. Throws `InvalidArgumentError`. */
export const countArgument = (text: string): number => {
  if (!/^\d{1,7}$/.test(text))
    throw new InvalidArgumentError('It must be a number from 0 to 9999999.');
  return Number(text);
};
