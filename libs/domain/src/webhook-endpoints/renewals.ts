import type { EndpointFields } from '@refledger/contracts';
import type { EventMeta } from '../decider.js';
import type { Endpoint } from './endpoint.js';

/** The maximum number of renewals of one endpoint within `renewalWindowMs`. */
const maxRenewals = 2;
const renewalWindowMs = 60_000;

/** The instants of the last renewals, including an event with these fields if that is a renewal. */
export const renewedBy = (
  fields: EndpointFields,
  before: Endpoint | undefined,
  { recordedAt }: EventMeta,
): readonly string[] => {
  if (before === undefined) return [];
  return isRenewal(before, fields)
    ? [...before.renewed, recordedAt].slice(-maxRenewals)
    : before.renewed;
};

/** Whether subscribing again would change none of the endpoint's fields, only its revision. */
export const isRenewal = ({ status, fields }: Endpoint, wanted: EndpointFields): boolean =>
  status === 'enabled' && isSame(fields, wanted);

/** Whether two sets of fields are alike. */
export const isSame = (fields: EndpointFields, wanted: EndpointFields): boolean =>
  fields.target_url === wanted.target_url &&
  fields.target_key === wanted.target_key &&
  fields.description === wanted.description &&
  fields.secret === wanted.secret &&
  fields.payload === wanted.payload &&
  fields.max_per_second === wanted.max_per_second &&
  fields.events.join() === wanted.events.join();

/**
 * Whether the endpoint was renewed often enough recently. A client may subscribe every time it
 * starts, and two revisions within a minute protect it from a late 410 as well as hundreds do.
 */
export const wasRenewedOftenEnough = ({ renewed }: Endpoint, now: string): boolean => {
  const since = Date.parse(now) - renewalWindowMs;
  return renewed.filter((at) => Date.parse(at) > since).length >= maxRenewals;
};
