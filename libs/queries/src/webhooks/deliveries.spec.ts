import { derivedId } from '@refledger/contracts';
import { DeliveryStoreError, type OpenDeliveryReader } from '@refledger/delivery-store';
import { Deliveries, type DeliveriesOptions, type OpenRequestStore } from './deliveries.js';

const reader = (id: string, closed: string[] = []): OpenDeliveryReader => ({
  id,
  get: () => Promise.resolve(undefined),
  answeredKey: () => Promise.resolve(undefined),
  find: () => Promise.resolve({ deliveries: [], next: undefined }),
  recoveries: () => Promise.resolve([]),
  failingSince: () => Promise.resolve(new Map()),
  countUnfinished: () => Promise.resolve({ unfinished: 5, held: 3 }),
  statistics: () => Promise.resolve([]),
  oldestWaiting: () => Promise.resolve(undefined),
  floor: () => Promise.resolve(undefined),
  statuses: () => Promise.resolve(new Map()),
  replay: () => Promise.resolve(undefined),
  replays: () => Promise.resolve([]),
  removed: () => Promise.resolve({ endedBefore: undefined, heldThrough: new Map() }),
  close: () => Promise.resolve(void closed.push(id)),
});
const opened = (options: Partial<DeliveriesOptions>) =>
  new Deliveries({
    open: () => Promise.resolve(reader('one')),
    openRequests: () => Promise.reject(new Error('nothing is to be changed')),
    recordedStore: () => Promise.resolve('one'),
    ...options,
  });
const none = () => Promise.resolve(undefined);
const idOf = (deliveries: Deliveries) => deliveries.read(({ id }) => Promise.resolve(id));

it('opens the store once, with the first read', async () => {
  const open = jest.fn(() => Promise.resolve(reader('one')));
  const deliveries = opened({ open });
  expect(open).not.toHaveBeenCalled();
  expect(await Promise.all([idOf(deliveries), idOf(deliveries)])).toEqual(['one', 'one']);
  expect(open).toHaveBeenCalledTimes(1);
});

it('reads a store that no dispatcher has recorded yet', async () => {
  const open = () => Promise.resolve(reader('one'));
  expect(await idOf(opened({ open, recordedStore: none }))).toBe('one');
});

it('tries again after a failure to open', async () => {
  const open = jest
    .fn(() => Promise.resolve(reader('one')))
    .mockRejectedValueOnce(new DeliveryStoreError('unavailable', 'none yet'));
  const deliveries = opened({ open });
  await expect(idOf(deliveries)).rejects.toThrow('none yet');
  expect(await idOf(deliveries)).toBe('one');
});

it('refuses a store that is not the one that the log names, until it is', async () => {
  const closed: string[] = [];
  const open = jest
    .fn(() => Promise.resolve(reader('one', closed)))
    .mockResolvedValueOnce(reader('another', closed));
  const deliveries = opened({ open });
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
  const deliveries = opened({ open });
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

describe('changing the store', () => {
  const delivery = derivedId('delivery', 'one');
  const requests = (id: string, did: string[]): OpenRequestStore => ({
    id,
    request: () => Promise.resolve(true),
    makeDue: (madeDue) => Promise.resolve(did.push(`made due ${madeDue}`) > 0),
    cancelWaiting: () => Promise.resolve(true),
    beginReplay: () => Promise.reject(new Error('no replay is to start')),
    stopReplay: () => Promise.reject(new Error('no replay is to be stopped')),
    close: () => Promise.resolve(void did.push('closed')),
  });

  it('opens it once, with the first change, if there is a store', async () => {
    const did: string[] = [];
    const openRequests = jest.fn(() => Promise.resolve(requests('one', did)));
    const open = jest
      .fn(() => Promise.resolve(reader('one')))
      .mockRejectedValueOnce(new DeliveryStoreError('unavailable', 'none yet'));
    const deliveries = opened({ open, openRequests });
    const makeDue = () => deliveries.write((store) => store.makeDue(delivery, ''));
    await expect(makeDue()).rejects.toThrow('none yet');
    expect(openRequests).not.toHaveBeenCalled();
    await makeDue();
    await makeDue();
    expect(openRequests).toHaveBeenCalledTimes(1);
    await deliveries.close();
    expect(did).toEqual([`made due ${delivery}`, `made due ${delivery}`, 'closed']);
  });

  it('changes no store but the one that it reads', async () => {
    const did: string[] = [];
    const openRequests = jest
      .fn(() => Promise.resolve(requests('one', did)))
      .mockResolvedValueOnce(requests('another', did));
    const deliveries = opened({ openRequests });
    const makeDue = () => deliveries.write((store) => store.makeDue(delivery, ''));
    await expect(makeDue()).rejects.toThrow('replaced');
    expect(did).toEqual(['closed']);
    await makeDue();
    expect(did).toEqual(['closed', `made due ${delivery}`]);
  });

  it('notices that it was replaced after it was opened', async () => {
    const did: string[] = [];
    const open = jest
      .fn(() => Promise.resolve(reader('another')))
      .mockResolvedValueOnce(reader('one'));
    const openRequests = jest
      .fn(() => Promise.resolve(requests('another', did)))
      .mockResolvedValueOnce(requests('one', did));
    const deliveries = opened({ open, openRequests, recordedStore: none });
    const makeDue = () => deliveries.write((store) => store.makeDue(delivery, ''));
    await makeDue();
    const failed = new DeliveryStoreError('unusable', 'it is another file');
    await expect(deliveries.read(() => Promise.reject(failed))).rejects.toThrow(failed);
    await expect(makeDue()).rejects.toThrow('replaced');
    await makeDue();
    expect(did).toEqual([`made due ${delivery}`, 'closed', `made due ${delivery}`]);
  });

  it('keeps it open for others after a temporary failure of one change', async () => {
    const did: string[] = [];
    const openRequests = jest.fn(() => Promise.resolve(requests('one', did)));
    const deliveries = opened({ openRequests });
    const failing = (kind: 'unavailable' | 'unusable') =>
      deliveries.write(() => Promise.reject(new DeliveryStoreError(kind, 'it failed')));
    await expect(failing('unavailable')).rejects.toThrow('it failed');
    expect(did).toEqual([]);
    await Promise.allSettled([failing('unusable'), failing('unusable')]);
    expect(did).toContain('closed');
    await deliveries.write((store) => store.makeDue(delivery, ''));
    expect(did.at(-1)).toBe(`made due ${delivery}`);
    expect(openRequests).toHaveBeenCalledTimes(2);
  });
});
