import { randomUUID } from 'node:crypto';
import {
  eventSchemaVersion,
  newId,
  streams,
  type AffiliateEvent,
  type AffiliateId,
} from '@refledger/contracts';
import { affiliateEvents } from '@refledger/domain/testing';
import { encodeEvent, type EventLog } from '@refledger/event-log';
import { KeyStoreError, type KeyStore } from '@refledger/key-store';
import type { ReadStore } from '@refledger/read-store';
import { eventually } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { ErasureProcessor, erasuresName, type ErasureProcessorOptions } from '../src/index.js';
import { allOf, Embedded, eraseToHead } from './embedded.js';
import { decide } from './sell.js';

const accountId = newId('account');
const at = '2026-01-01T00:00:00.000Z';

let embedded: Embedded;
let log: EventLog;
let store: ReadStore;
let keys: KeyStore;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
  store = await embedded.openStore();
  keys = embedded.openKeys();
});
afterEach(() => embedded.remove());

const about = (affiliate_id: AffiliateId) => ({ affiliate_id, program_id: 'prog_a' }) as const;
const append = async (
  id: AffiliateId,
  events: readonly AffiliateEvent[],
  from: number | 'no stream',
): Promise<void> => {
  const metadata = { account_id: accountId, actor: 'test', request_id: 'r', recorded_at: at };
  const encoded = events.map((event) => encodeEvent(event, randomUUID(), metadata));
  await log.append(streams.affiliate(id), encoded, from);
};
/** Creates an affiliate with a key. */
const create = async (): Promise<AffiliateId> => {
  const id = newId('affiliate');
  await keys.put(id, { accountId, key: `key of ${id}`, claim: null, at });
  await append(id, [affiliateEvents.created(about(id))], 'no stream');
  return id;
};
/** Records an erasure, as a gateway does that then crashes. */
const erase = (id: AffiliateId): Promise<void> =>
  append(id, [affiliateEvents.deleted(about(id)), affiliateEvents.erased(about(id))], 0);
const toHead = (of: Partial<Parameters<typeof eraseToHead>[0]> = {}) =>
  eraseToHead({ log, store, keys, ...of });
const kindsOf = async (...ids: readonly AffiliateId[]) => {
  const stored = await keys.getMany(ids);
  return ids.map((id) => stored.get(id)?.kind);
};

it('destroys the keys that crashes have left, and no others', async () => {
  const [ada, bob, eve] = [await create(), await create(), await create()];
  await erase(ada);
  await erase(eve);
  await toHead();
  expect(await kindsOf(ada, bob, eve)).toEqual(['erased', 'key', 'erased']);
  const event = present((await allOf(log)).filter(({ type }) => type === 'affiliate.erased')[0]);
  expect((await keys.getMany([ada])).get(ada)).toMatchObject({
    eventId: event.id,
    position: event.position,
  });
});

it('destroys the key of an erasure that it cannot read, and says so', async () => {
  const ada = await create();
  const metadata = { account_id: accountId, actor: 'test', request_id: 'r', recorded_at: at };
  const erased = encodeEvent(affiliateEvents.erased(about(ada)), randomUUID(), metadata);
  const newer = { ...metadata, schema: eventSchemaVersion + 1 };
  await log.append(streams.affiliate(ada), [{ ...erased, metadata: newer }], 0);
  const warnings: unknown[] = [];
  const warn = (details: object): void => void warnings.push(details);
  await toHead({ logger: { info: () => undefined, error: () => undefined, warn } });
  expect(await kindsOf(ada)).toEqual(['erased']);
  expect(warnings).toMatchObject([{ processor: erasuresName, affiliate_id: ada }]);

  // its key was destroyed when a service started, before this processor has read it
  const restored = embedded.openKeys('restored');
  const position = present(await log.head());
  await restored.destroy(ada, { accountId, eventId: erased.id, position, erasedAt: at });
  await toHead({ keys: restored });
  expect(await restored.checkpoint()).toMatchObject({ position });
});

it('keeps its position in the key store, too', async () => {
  const ada = await create();
  await erase(ada);
  await toHead();
  const last = present((await allOf(log)).at(-1));
  expect(await keys.checkpoint()).toEqual({
    logId: log.id,
    position: last.position,
    eventId: last.id,
  });
});

it('goes back if the key store was restored from before an erasure', async () => {
  const [ada, bob] = [await create(), await create()];
  await erase(ada);
  await toHead();
  await erase(bob);
  const before = present(await keys.checkpoint());
  await toHead();

  const restored = embedded.openKeys('restored');
  for (const id of [ada, bob])
    await restored.put(id, { accountId, key: `key of ${id}`, claim: null, at });
  await restored.saveCheckpoint(before);
  await toHead({ keys: restored });
  const stored = await restored.getMany([ada, bob]);
  // it says that the first erasure was applied
  expect([ada, bob].map((id) => stored.get(id)?.kind)).toEqual(['key', 'erased']);

  // nothing says how far it has got
  const unknown = embedded.openKeys('unknown');
  await unknown.put(ada, { accountId, key: 'key', claim: null, at });
  await toHead({ keys: unknown });
  const found = await unknown.getMany([ada, bob]);
  expect([ada, bob].map((id) => found.get(id)?.kind)).toEqual(['erased', 'erased']);
});

it('records erasures again that the log has lost, before it follows the log', async () => {
  const lost = await create();
  const eventId = randomUUID();
  const position = present(await log.head());
  await keys.destroy(lost, { accountId, eventId, position, erasedAt: at });
  const warnings: unknown[] = [];
  const warn = (details: object): void => void warnings.push(details);
  const logger = { info: () => undefined, error: () => undefined, warn };
  await toHead({ logger });
  expect((await allOf(log)).filter(({ id }) => id === eventId)).toMatchObject([
    { type: 'affiliate.erased', stream: streams.affiliate(lost) },
  ]);
  expect(warnings).toMatchObject([{ restored: 1 }]);
});

it('fails while the key store is unavailable, and destroys the key later', async () => {
  const ada = await create();
  await erase(ada);
  const gone = new KeyStoreError('unavailable', 'gone');
  const failing: ErasureProcessorOptions['keys'] = {
    scanClaimed: (putBefore) => keys.scanClaimed(putBefore),
    forgetClaims: (...forgotten) => keys.forgetClaims(...forgotten),
    checkpoint: () => keys.checkpoint(),
    saveCheckpoint: (checkpoint) => keys.saveCheckpoint(checkpoint),
    scan: (after) => keys.scan(after),
    destroy: () => Promise.reject(gone),
  };
  await expect(toHead({ keys: failing })).rejects.toBe(gone);
  expect(await kindsOf(ada)).toEqual(['key']);
  await toHead();
  expect(await kindsOf(ada)).toEqual(['erased']);
});

it('counts erasures whose key it could not destroy, until it has destroyed it', async () => {
  const [ada, bob] = [await create(), await create()];
  await erase(ada);
  await erase(bob);
  let isGone = true;
  /** The numbers of running erasures at each attempt. */
  const shown: number[] = [];
  const failing: ErasureProcessorOptions['keys'] = {
    ...{ scanClaimed: () => keys.scanClaimed(at), forgetClaims: () => Promise.resolve() },
    checkpoint: () => {
      shown.push(processor.figures().running);
      if (shown.length > 1) isGone = false;
      return keys.checkpoint();
    },
    saveCheckpoint: (checkpoint) => keys.saveCheckpoint(checkpoint),
    scan: (after) => keys.scan(after),
    destroy: (...of) =>
      isGone ? Promise.reject(new KeyStoreError('unavailable', 'gone')) : keys.destroy(...of),
  };
  const logger = { info: () => undefined, error: () => undefined, warn: () => undefined };
  const now = () => Date.parse(at) + 90_000;
  const processor = new ErasureProcessor({ log, store, keys: failing, logger, now });
  expect(processor.figures()).toEqual({ running: 0, oldestSeconds: 0 });
  const batch = { events: await allOf(log), through: present(await log.head()) };
  await expect(processor.handle(batch)).rejects.toThrow('gone');
  expect(processor.figures()).toEqual({ running: 2, oldestSeconds: 90 });
  const stop = new AbortController();
  const running = processor.run((each) => processor.handle(each), stop.signal);
  await eventually(async () => {
    expect(await kindsOf(ada, bob)).toEqual(['erased', 'erased']);
    expect(processor.figures()).toEqual({ running: 0, oldestSeconds: 0 });
  });
  stop.abort();
  await running;
  expect(shown.slice(0, 2)).toEqual([2, 2]);
});

it('looks for lost erasures only once, also if it must start again', async () => {
  const ada = await create();
  await erase(ada);
  let scans = 0;
  let attempts = 0;
  const failing: ErasureProcessorOptions['keys'] = {
    ...{ scanClaimed: () => keys.scanClaimed(at), forgetClaims: () => Promise.resolve() },
    checkpoint: () => keys.checkpoint(),
    saveCheckpoint: (checkpoint) => keys.saveCheckpoint(checkpoint),
    scan: (after) => {
      scans++;
      return keys.scan(after);
    },
    destroy: (...of) =>
      ++attempts === 1
        ? Promise.reject(new KeyStoreError('unavailable', 'gone'))
        : keys.destroy(...of),
  };
  const logger = { info: () => undefined, error: () => undefined, warn: () => undefined };
  const processor = new ErasureProcessor({ log, store, keys: failing, logger });
  const stop = new AbortController();
  const running = processor.run((batch) => processor.handle(batch), stop.signal);
  await eventually(async () => expect(await kindsOf(ada)).toEqual(['erased']));
  stop.abort();
  await running;
  expect([attempts, scans]).toEqual([2, 1]);
});

it('no longer counts erasures that another ledger has carried out', async () => {
  await erase(await create());
  const gone = new Proxy(keys, {
    get: (target, name, receiver) =>
      name === 'destroy' ? () => Promise.reject(new Error('gone')) : bound(target, name, receiver),
  });
  const logger = { info: () => undefined, error: () => undefined, warn: () => undefined };
  const processor = new ErasureProcessor({ log, store, keys: gone, logger });
  const batch = { events: await allOf(log), through: present(await log.head()) };
  await expect(processor.handle(batch)).rejects.toThrow('gone');
  await toHead();
  const stop = new AbortController();
  const running = processor.run((each) => processor.handle(each), stop.signal);
  await eventually(() => Promise.resolve(expect(processor.figures().running).toBe(0)));
  stop.abort();
  await running;
});

const bound = <T extends object>(target: T, name: string | symbol, receiver: unknown): unknown => {
  const member: unknown = Reflect.get(target, name, receiver);
  return typeof member === 'function' ? (member.bind(target) as unknown) : member;
};

it('skips an erasure if an operator decides so', async () => {
  const [ada, bob] = [await create(), await create()];
  await erase(ada);
  await erase(bob);
  const event = present((await allOf(log)).filter(({ type }) => type === 'affiliate.erased')[0]);
  const { id: event_id, position } = event;
  await decide(log, { type: 'skip', event_id, position }, erasuresName);
  await toHead();
  expect(await kindsOf(ada, bob)).toEqual(['key', 'erased']);
});
