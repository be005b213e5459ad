import type { EndpointBefore } from '@refledger/contracts';
import type { Endpoint } from './endpoint.js';

/** What an event keeps of the endpoint before it. */
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
