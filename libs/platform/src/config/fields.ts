import { parseDuration } from '@refledger/contracts';
import { z } from 'zod';
import { decodeSecretsKey } from './secrets-key.js';

const toDuration = (value: string, issues: z.RefinementCtx): number =>
  parseDuration(value) ??
  (issues.addIssue({
    code: 'custom',
    message: 'must be a duration such as 200ms, 5s, 2m or 10h',
  }),
  z.NEVER);

/** A duration, in milliseconds. */
export const duration = (fallback: string) => z.string().default(fallback).transform(toDuration);

/** Like `duration`, but `0` needs no unit. */
export const durationOrZero = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((value, issues) => (value === '0' ? 0 : toDuration(value, issues)));

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

/** Waits separated by commas, in milliseconds. */
export const schedule = z
  .string()
  .default('5s,30s,2m,10m,30m,1h,3h,6h,12h,24h,24h')
  .transform((value, issues) =>
    value.split(',').map(
      (step) =>
        parseDuration(step.trim()) ??
        (issues.addIssue({
          code: 'custom',
          message: `must be durations separated by commas, but contains ${JSON.stringify(step)}`,
        }),
        0),
    ),
  );
