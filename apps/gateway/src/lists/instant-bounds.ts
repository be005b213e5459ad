import { toInstant } from '@refledger/contracts';

/** Two instants with a precision of one millisecond, which both exclude what happened at them. */
export interface InstantBounds {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** The parameters that bound when the records of a list were created, at most one at each end. */
export interface CreatedParameters {
  readonly created_from?: string | undefined;
  readonly created_to?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

/** Returns the bounds that these parameters mean. `created_from` alone includes its instant. */
export const createdBetween = ({
  created_from,
  created_to,
  created_after,
  created_before = created_to,
}: CreatedParameters): InstantBounds => {
  const { after = created_from && justBefore(created_from), before } = exclusiveBounds(
    created_after,
    created_before,
  );
  return { ...(after !== undefined && { after }), ...(before !== undefined && { before }) };
};

/**
 * Returns bounds that exclude their instants. Rows have a precision of one millisecond, so a finer
 * bound is rounded down (`after`) or up (`before`) without changing which rows it excludes.
 */
export const exclusiveBounds = (
  after: string | undefined,
  before: string | undefined,
): InstantBounds => ({
  ...(after !== undefined && { after: toInstant(Date.parse(after)) }),
  ...(before !== undefined && {
    before: toInstant(Math.min(latest, Date.parse(before) + (isFiner(before) ? 1 : 0))),
  }),
});

/** Returns the last millisecond before an instant. */
const justBefore = (instant: string): string =>
  toInstant(Date.parse(instant) - (isFiner(instant) ? 0 : 1));

/** Whether a time has digits beyond the milliseconds, which `Date.parse` cuts off. */
const isFiner = (instant: string): boolean => /\.\d{3}\d*[1-9]/.test(instant);

/** Later instants have another form of text. */
const latest = Date.parse('9999-12-31T23:59:59.999Z');
