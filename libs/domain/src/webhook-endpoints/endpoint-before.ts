import type { EndpointBefore } from '@refledger/contracts';
import type { Endpoint } from './endpoint.js';

/** The endpoint's previous state, as an event keeps it. */
export const beforeOf = ({
  fields,
  status,
  disabled,
  failing_since,
  previous,
  created_at,
  updated_at,
}: Endpoint): EndpointBefore => ({
  fields,
  status,
  disabled,
  failing_since,
  previous,
  created_at,
  updated_at,
});
