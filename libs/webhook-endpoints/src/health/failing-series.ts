import type { Finding } from '@refledger/domain';
import type { FailingSeries } from '@refledger/delivery-store';
import type { EndpointVersion } from '../directory/endpoint-version.js';

/**
 * The series after one more failed attempt. It cannot have begun later than that: its first attempt
 * was dated by a clock that was ahead.
 */
export const nextSeries = (
  before: FailingSeries | undefined,
  { seriesFrom: from }: EndpointVersion,
  at: string,
): FailingSeries => ({
  from,
  since: before === undefined || before.since > at ? at : before.since,
  failures: Math.min(enough, (before?.failures ?? 0) + 1),
});

interface HealthRules extends Pick<EndpointVersion, 'health'> {
  /** How long an endpoint may fail before it is disabled, in milliseconds; 0 means never. */
  readonly disableAfterMs: number;
}

/** What a failed attempt that ended at this instant shows; undefined if nothing new. */
export const findingOf = (
  { since, failures }: FailingSeries,
  { health, disableAfterMs }: HealthRules,
  at: string,
): Finding | undefined => {
  const lastedMs = Date.parse(at) - Date.parse(since);
  if (failures < enough) return undefined;
  if (disableAfterMs > 0 && lastedMs >= disableAfterMs)
    return { type: 'disable', reason: 'failing' };
  if (health === 'ok' && lastedMs >= failingAfterMs) return { type: 'fail', failing_since: since };
  return undefined;
};

/** How many failed attempts make a finding. */
export const enough = 5;
const failingAfterMs = 3_600_000;
