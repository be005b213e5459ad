import { derivedId, type Position } from '@refledger/contracts';
import type { EndpointVersion } from '../directory/endpoint-version.js';

/** The version of an endpoint that is enabled, with these members. */
export const endpointVersion = (more: Partial<EndpointVersion> = {}): EndpointVersion => ({
  accountId: derivedId('account', '1'),
  position: '5' as Position,
  revision: 3,
  status: 'enabled',
  disabled: null,
  health: 'ok',
  seriesFrom: '5' as Position,
  goneAt: null,
  droppedAt: null,
  stoppedSince: null,
  target_url: 'https://shop.example/hook',
  events: ['conversion.created'],
  secret: 'sealed',
  payload: 'full',
  previous: null,
  maxPerSecond: null,
  ...more,
});
