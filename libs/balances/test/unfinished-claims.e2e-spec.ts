import { randomUUID } from 'node:crypto';
import { Claims, CommandHandler, newContext } from '@refledger/application';
import { newId, streams, toInstant, type AffiliateId } from '@refledger/contracts';
import { emailClaimDecider } from '@refledger/domain';
import { affiliateEvents } from '@refledger/domain/testing';
import { encodeEvent, type EventLog } from '@refledger/event-log';
import type { KeyStore } from '@refledger/key-store';
import { eventually } from '@refledger/testing';
import { ErasureProcessor } from '../src/index.js';
import { finishClaims } from '../src/erasures/unfinished-claims.js';
import { Embedded } from './embedded.js';
import { faultyLog } from './faulty-log.js';

const accountId = newId('account');
const putAt = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const never = new AbortController().signal;

let embedded: Embedded;
let log: EventLog;
let keys: KeyStore;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
  keys = embedded.openKeys();
});
afterEach(() => embedded.remove());

const finish = (after = hour + 1, of: Partial<Parameters<typeof finishClaims>[0]> = {}) =>
  finishClaims({ log, keys, now: () => putAt + after, ...of }, never);

/** Puts a key and takes a claim, as a gateway does that crashes right before or after the append. */
const create = async (
  fault: 'crash before it' | 'crash after it',
  time = putAt,
): Promise<AffiliateId> => {
  const affiliate_id = newId('affiliate');
  const claim = streams.claim(affiliate_id);
  await keys.put(affiliate_id, { accountId, key: 'key', claim, at: toInstant(time) });
  const recorded_at = toInstant(time);
  const metadata = { account_id: accountId, actor: 'test', request_id: 'r', recorded_at };
  const event = affiliateEvents.created({ affiliate_id, program_id: 'prog_a' });
  const { id, type, data, metadata: encoded } = encodeEvent(event, randomUUID(), metadata);
  const append = {
    stream: streams.affiliate(affiliate_id),
    expected_revision: null,
    events: [{ id, type, data: data as Record<string, unknown>, metadata: encoded }],
  };
  const commands = new CommandHandler(faultyLog(log, 1, fault));
  const taking = new Claims(commands, emailClaimDecider).take({
    stream: claim,
    data: { affiliate_id, append },
    context: newContext({ accountId, actor: 'test', requestId: 'r' }),
    attempt: 0,
    judge: () => 'decide again',
  });
  await expect(taking).rejects.toThrow('crashed');
  return affiliate_id;
};
const typesIn = async (id: AffiliateId): Promise<readonly string[]> => {
  const types: string[] = [];
  for await (const events of log.readStream(streams.affiliate(id)))
    types.push(...events.map(({ type }) => type));
  return types;
};
/** The owners of keys that are still to be looked at. */
const claimed = async (): Promise<readonly string[]> => {
  const owners: string[] = [];
  for await (const rows of keys.scanClaimed('9')) owners.push(...rows.map(({ owner }) => owner));
  return owners;
};

it('makes the append of a claim that a crash has left, so that it can be erased', async () => {
  const id = await create('crash before it');
  expect(await typesIn(id)).toEqual([]);
  await finish();
  expect(await typesIn(id)).toEqual(['affiliate.created']);
  expect(await claimed()).toEqual([]);
});

it('leaves keys that were put within the hour: their commands may still run', async () => {
  const id = await create('crash before it');
  await finish(hour);
  expect(await typesIn(id)).toEqual([]);
  expect(await claimed()).toEqual([id]);
});

it('looks once at keys whose affiliate exists, or whose claim was never taken', async () => {
  await create('crash after it');
  const unused = newId('affiliate');
  const claim = streams.claim('free');
  await keys.put(unused, { accountId, key: 'key', claim, at: toInstant(putAt) });
  const head = await log.head();
  await finish();
  expect(await log.head()).toBe(head);
  expect(await claimed()).toEqual([]);
});

it('leaves a key whose claim fails for the next time, and looks at the others', async () => {
  await Promise.all([create('crash before it'), create('crash before it')]);
  const failing = faultyLog(log, 0, 'crash before it');
  await expect(finish(undefined, { log: failing })).rejects.toThrow('crashed');
  expect(await claimed()).toHaveLength(2);
  const once = faultyLog(log, 0, 'crash after it');
  await expect(finish(undefined, { log: once })).rejects.toThrow('crashed');
  await finish();
  expect(await claimed()).toEqual([]);
});

it('is done by the processor, again and again, which survives failures', async () => {
  const [first, ended] = [await create('crash before it'), new AbortController()];
  const warnings: unknown[] = [];
  const silent = { info: () => undefined, error: () => undefined };
  let failures = 0;
  let now = putAt + 2 * hour;
  const processor = new ErasureProcessor({
    log,
    store: await embedded.openStore(),
    keys: new Proxy(keys, {
      get: (target, name, receiver) => {
        if (name === 'scanClaimed' && failures++ === 0) throw new Error('gone');
        const member: unknown = Reflect.get(target, name, receiver);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    }),
    logger: { ...silent, warn: (details) => void warnings.push(details) },
    now: () => now,
    claimsEveryMs: 1,
  });
  const running = processor.run((batch) => processor.handle(batch), ended.signal);
  await eventually(async () => expect(await typesIn(first)).toHaveLength(1));
  // a key that is put now is left alone until its claim is an hour old
  const second = await create('crash before it', now);
  now += 2 * hour;
  await eventually(async () => expect(await typesIn(second)).toHaveLength(1));
  expect(warnings).toMatchObject([{ err: { message: 'gone' } }]);
  ended.abort();
  await running;
});
