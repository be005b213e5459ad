import { exampleRecordOf, type WebhookEndpointRecord } from '@refledger/contracts';
import { DeliveryStoreError, type OpenDeliveryReader } from '@refledger/delivery-store';
import type { Deliveries } from './deliveries.js';
import { ShownEndpoints } from './shown-endpoints.js';

const endpoint = exampleRecordOf('webhook.disabled') as WebhookEndpointRecord;
const since = '2026-01-30T00:00:00.000Z';
const reader = {
  failingSince: (ids) => Promise.resolve(new Map(ids.map((id) => [id, since]))),
  countUnfinished: () => Promise.resolve({ unfinished: 5, held: 3 }),
} satisfies Partial<OpenDeliveryReader> as unknown as OpenDeliveryReader;
const over = (read: Deliveries['read']) =>
  new ShownEndpoints({ read }, { instant: () => '2026-01-31T09:30:00.000Z' });
const readable = over((work) => work(reader));
const unreadable = over(() => Promise.reject(new DeliveryStoreError('unavailable', 'none yet')));

const known = { failing_since: since, waiting: 5, held: 3 };
const unknown = { failing_since: null, waiting: null, held: null };

it('shows an endpoint with what the delivery store knows of it', async () => {
  const enabled = { ...endpoint, status: 'enabled' } as const;
  expect(await readable.single(enabled)).toEqual({ ...enabled, ...known });
  expect(await readable.list([enabled])).toEqual([{ ...enabled, failing_since: since }]);
  expect(readable.subscribed(enabled)).toMatchObject({ failing_since: null, waiting: 0, held: 0 });
});

it.each(['paused', 'disabled'] as const)('does not call a %s endpoint failing', async (status) => {
  const shown = await readable.single({ ...endpoint, status });
  expect(shown).toMatchObject({ ...known, failing_since: null });
});

it('shows no counts while the store cannot be read', async () => {
  expect(await unreadable.single(endpoint)).toMatchObject(unknown);
});

it('shows no counts of a store that hangs', async () => {
  const hanging = over(() => new Promise(() => undefined));
  expect(await hanging.single(endpoint)).toMatchObject(unknown);
});

it('passes on any other error', async () => {
  const broken = over(() => Promise.reject(new TypeError('a bug')));
  await expect(broken.single(endpoint)).rejects.toThrow('a bug');
});
