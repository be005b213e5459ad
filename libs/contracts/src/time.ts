import { z } from 'zod';

/** An instant in a response. */
export const instantSchema = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', example: '2026-01-31T09:30:00.000Z' });

/** A calendar day in UTC, in a response: `2026-01-31`. */
export const daySchema = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .meta({ format: 'date', example: '2026-01-31' });

/** A calendar month in UTC, in a response: `2026-01`. */
export const monthSchema = z
  .string()
  .regex(/^\d{4}-\d\d$/)
  .meta({ example: '2026-01' });

/** A calendar day in the body of a request. */
export const dayInputSchema = z.iso
  .date({ error: 'must be a calendar day such as 2026-01-31' })
  .meta({ example: '2026-01-31' });

const rule = 'must be an RFC 3339 time such as 2026-01-31T09:30:00Z';

/**
 * An offset can move a time out of the years that `instantSchema` has, whose text sorts
 * chronologically.
 */
const isInYears = (time: string): boolean => {
  const milliseconds = Date.parse(time);
  // a malformed time has an issue of its own, and compares as false
  return !(milliseconds < earliest || milliseconds > latest);
};
const [earliest, latest] = [
  Date.parse('0001-01-01T00:00:00.000Z'),
  Date.parse('9999-12-31T23:59:59.999Z'),
];

/** RFC 3339 §5.6, on a day that exists. Second 60 is accepted in any minute. */
const dateTime = new RegExp(
  `^${z.regexes.date.source.slice(1, -1)}[Tt](?:[01]\\d|2[0-3]):[0-5]\\d:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$`,
);

/**
 * Returns an RFC 3339 time in the form that JavaScript reads: with `T` and `Z`, and with the last
 * millisecond of the minute instead of a leap second. Other text stays as it is.
 */
export const readableTime = (text: string): string =>
  dateTime.test(text) ? text.toUpperCase().replace(/(?<=T\d\d:\d\d:)60(?:\.\d+)?/, '59.999') : text;

const instantFrom = (error: string) =>
  z
    .string({ error })
    .regex(dateTime, { error })
    .overwrite(readableTime)
    .refine(isInYears, {
      error: 'must be in the years 1 to 9999 in UTC',
      params: { code: 'out_of_range' },
      abort: true,
    })
    .meta({ format: 'date-time', example: '2026-01-31T09:30:00Z' });

/** An instant in the body of a request: RFC 3339 with any offset and precision. */
export const instantInputSchema = instantFrom(rule);

/** The same holds for a query parameter, in which a plain `+` stands for a space. */
export const instantParameterSchema = instantFrom(`${rule} (the + of an offset is sent as %2B)`);

/** A calendar day in UTC in a query parameter. */
export const dayParameterSchema = z.iso
  .date({ error: 'must be a day such as 2026-01-31' })
  .meta({ example: '2026-01-31' });

/** A calendar month in UTC in a query parameter. */
export const monthParameterSchema = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, { error: 'must be a month such as 2026-01' })
  .meta({ example: '2026-01' });
