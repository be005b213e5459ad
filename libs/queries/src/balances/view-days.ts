import { validationError } from '@refledger/contracts';

/** The days of a read of balances. */
export interface ViewDays {
  /** The day that decides whether a payout run would pay. */
  readonly today: string;
  /** The day that separates payable from held. */
  readonly on: string;
}

/** Returns the days that a request asks for. Throws `validation_failed` for `on` before today. */
export const viewDays = (on: string | undefined, today: string): ViewDays => {
  if (on !== undefined && on < today)
    throw validationError([
      {
        path: 'on',
        code: 'too_small',
        message: `on is ${on}, but today is ${today} (UTC). Send today, a later day, or an earlier as_of.`,
      },
    ]);
  return { today, on: on ?? today };
};
