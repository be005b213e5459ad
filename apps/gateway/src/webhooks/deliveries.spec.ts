import { processorDecider } from '@refledger/domain';
import { DeliveryStoreError, type OpenDeliveryReader } from '@refledger/webhooks';
import { Deliveries, type DeliveriesOptions } from './deliveries.js';

const reader = (id: string, closed: string[] = []): OpenDeliveryReader => ({
  id,
  get: () => Promise.resolve(undefined),
  find: () => Promise.resolve({ deliveries: [], next: undefined }),
  close: () => Promise.resolve(void closed.push(id)),
});
const recorded = (store_id: string | undefined): DeliveriesOptions['commands'] => ({
  // the cast holds: only the decider of processors is loaded
  load: (() =>
    Promise.resolve({
      state: { ...processorDecider.initial, store_id },
    })) as unknown as DeliveriesOptions['commands']['load'],
});
const idOf = (deliveries: Deliveries) => deliveries.read(({ id }) => Promise.resolve(id));

it('opens the store once, with the first read', async () => {
  const open = jest.fn(() => Promise.resolve(reader('one')));
  const deliveries = new Deliveries({ open, commands: recorded('one') });
  expect(open).not.toHaveBeenCalled();
  expect(await Promise.all([idOf(deliveries), idOf(deliveries)])).toEqual(['one', 'one']);
  expect(open).toHaveBeenCalledTimes(1);
});

it('reads a store that no dispatcher has recorded yet', async () => {
  const open = () => Promise.resolve(reader('one'));
  expect(await idOf(new Deliveries({ open, commands: recorded(undefined) }))).toBe('one');
});

it('tries again after a failure to open', async () => {
  const open = jest
    .fn(() => Promise.resolve(reader('one')))
    .mockRejectedValueOnce(new DeliveryStoreError('unavailable', 'none yet'));
  const deliveries = new Deliveries({ open, commands: recorded('one') });
  await expect(idOf(deliveries)).rejects.toThrow('none yet');
  expect(await idOf(deliveries)).toBe('one');
});

it('refuses a store that is not the one that the log names, until it is', async () => {
  const closed: string[] = [];
  const open = jest
    .fn(() => Promise.resolve(reader('one', closed)))
    .mockResolvedValueOnce(reader('another', closed));
  const deliveries = new Deliveries({ open, commands: recorded('one') });
  await expect(idOf(deliveries)).rejects.toMatchObject({
    name: 'DeliveryStoreError',
    message: expect.stringContaining('the log names delivery store one') as string,
  });
  expect(closed).toEqual(['another']);
  expect(await idOf(deliveries)).toBe('one');
});

it('opens the store again after a read found it unusable, and keeps it otherwise', async () => {
  const closed: string[] = [];
  const open = jest.fn(() => Promise.resolve(reader('one', closed)));
  const deliveries = new Deliveries({ open, commands: recorded('one') });
  const failing = (kind: 'unavailable' | 'unusable') =>
    deliveries.read(() => Promise.reject(new DeliveryStoreError(kind, kind)));
  await expect(failing('unavailable')).rejects.toThrow('unavailable');
  expect(closed).toEqual([]);
  await expect(failing('unusable')).rejects.toThrow('unusable');
  expect(closed).toEqual(['one']);
  await idOf(deliveries);
  expect(open).toHaveBeenCalledTimes(2);
  await deliveries.close();
  expect(closed).toEqual(['one', 'one']);
});
