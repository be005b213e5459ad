import { parseDuration } from '@refledger/contracts';
import { z } from 'zod';
import { decodeSecretsKey } from './secrets-key.js';

/** The shortest and the longest value of a duration, as texts such as `100ms` and `5m`. */
interface DurationBounds {
  readonly min: string;
  readonly max: string;
}

/** A duration, in milliseconds. Its description ends with its bounds. */
export const duration = (fallback: string, bounds: DurationBounds, description: string) =>
  z
    .string()
    .default(fallback)
    .transform(
      (value, issues) => parseWithin(bounds, value) ?? refuse(issues, durationError(bounds)),
    )
    .describe(`${description}; ${describeBounds(bounds)}.`);

/** Like `duration`, but it may also be `0`, which means never. */
export const durationOrNever = (fallback: string, bounds: DurationBounds, description: string) =>
  z
    .string()
    .default(fallback)
    .transform((value, issues) =>
      value === '0'
        ? 0
        : (parseWithin(bounds, value) ??
          refuse(issues, `${durationError(bounds)}, or 0 for never`)),
    )
    .describe(`${description}; ${describeBounds(bounds)}, or \`0\`, which means never.`);

const parseWithin = ({ min, max }: DurationBounds, value: string): number | undefined => {
  const [ms, minMs, maxMs] = [value, min, max].map(parseDuration);
  return ms === undefined || ms < (minMs ?? 0) || ms > (maxMs ?? 0) ? undefined : ms;
};

const describeBounds = ({ min, max }: DurationBounds): string => `${min} to ${max}`;

const durationError = (bounds: DurationBounds): string =>
  `must be a duration from ${describeBounds(bounds)}, written like 200ms, 5s, 2m or 10h`;

const refuse = (issues: z.RefinementCtx, message: string): never => {
  issues.addIssue({ code: 'custom', message });
  return z.NEVER;
};

/** An integer in decimal digits. */
export const integer = (min: number, max: number) => {
  const error = `must be an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, error);
};

/** `true` or `false`. */
export const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true');

/** The keys that seal secrets, separated by commas. */
export const secretsKeys = z
  .string()
  .optional()
  .transform((value, issues) =>
    value?.split(',').map(
      (key) =>
        decodeSecretsKey(key.trim()) ??
        (issues.addIssue({
          code: 'custom',
          message:
            'must be one or more keys of 32 bytes in base64 (as `openssl rand -base64 32` prints them), separated by commas',
        }),
        z.NEVER),
    ),
  );

/** Durations separated by commas, in milliseconds. */
export const schedule = (fallback: string, bounds: DurationBounds, description: string) =>
  z
    .string()
    .default(fallback)
    .transform((value, issues) =>
      value
        .split(',')
        .map(
          (step) =>
            parseWithin(bounds, step.trim()) ??
            refuse(
              issues,
              `must be durations from ${describeBounds(bounds)}, separated by commas, but contains ${JSON.stringify(step)}`,
            ),
        ),
    )
    .describe(`${description}; each ${describeBounds(bounds)}.`);
