import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  affiliateSchema,
  newId,
  streams,
  type OpenAffiliateRecord,
  type Checkpoint,
  type ProcessorStop,
} from '@refledger/contracts';
import { pendingDecision, pendingStop, processorDecider } from '@refledger/domain';
import { affiliateFields, LosableKeys } from '@refledger/domain/testing';
import { CommandHandler, newContext } from '@refledger/application';
import type { EventLog } from '@refledger/event-log';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { EventWriter } from './conformance/sample-events.js';
import type { PublishedRecord } from './event-bus.js';
import type { Publication, PublishedCheckpoint } from './publication.js';
import { readMessage, toMessage } from './kafka/message.js';
import { Relay } from './relay.js';

/** A bus for one relay. On request the next publication fails, before or after it takes effect. */
class Topic implements Publication {
  records: PublishedRecord[] = [];
  checkpoint: PublishedCheckpoint | undefined;
  storeId = 'store';
  startedCount = 0;
  fails: 'before' | 'after' | undefined;
  over = new AbortController();

  async lead(signal: AbortSignal) {
    if (signal.aborted) throw new Error('aborted');
    await Promise.resolve();
    if (this.over.signal.aborted) this.over = new AbortController();
    return { over: this.over.signal, start: () => Promise.resolve(this.session()) };
  }

  close = () => Promise.resolve();

  private session() {
    this.startedCount++;
    return {
      storeId: this.storeId,
      checkpoint: this.checkpoint,
      publish: (records: readonly PublishedRecord[], through: Checkpoint) => {
        const { fails } = this;
        this.fails = undefined;
        if (fails === 'before') return Promise.reject(new Error('fenced'));
        this.records.push(...records);
        this.checkpoint = through;
        return fails === 'after' ? Promise.reject(new Error('no response')) : Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
  }
}

const directory = mkdtempSync(join(tmpdir(), 'refledger-relay-'));
let log: EventLog;
let writer: EventWriter;
let topic: Topic;
let personalData: LosableKeys;
let reads: string[];
let nth = 0;
let ending: (() => Promise<void>)[];
let warnings: string[];
beforeEach(async () => {
  log = await openSqliteEventLog({ file: join(directory, `${nth++}.db`), mode: 'write' });
  writer = new EventWriter(log);
  topic = new Topic();
  personalData = new LosableKeys();
  reads = [];
  ending = [];
  warnings = [];
});
afterEach(async () => {
  for (const end of ending) await end();
  await log.close();
});
afterAll(() => rmSync(directory, { recursive: true }));

const start = (on: EventLog = log, cacheSize?: number): Relay => {
  const counted = new Proxy(on, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name === 'readStream')
        return (...args: Parameters<EventLog['readStream']>) => (
          reads.push(args[0]),
          target.readStream(...args)
        );
      return typeof value === 'function'
        ? (value as (...args: unknown[]) => unknown).bind(target)
        : value;
    },
  });
  const relay = new Relay({
    log: counted,
    personalData,
    publication: topic,
    logger: {
      info: () => undefined,
      warn: (_, message) => void warnings.push(message),
      error: () => undefined,
    },
    ...(cacheSize !== undefined && { cacheSize }),
  });
  const stop = new AbortController();
  const running = relay.run((batch) => relay.publish(batch), stop.signal);
  ending.push(async () => {
    stop.abort();
    await running;
  });
  return relay;
};
const live = (relay: Relay) =>
  waitFor(
    async () => relay.status().state === 'live' && relay.status().position === (await log.head()),
  );
const relayState = async () =>
  (await new CommandHandler(log).load(processorDecider, streams.processor('relay'))).state;
/** Decides about the present stop, as `ops resume` does, or about none. */
const decide = async (from: string, stop?: ProcessorStop) =>
  new CommandHandler(log).run({
    stream: streams.processor('relay'),
    decider: processorDecider,
    command: {
      type: 'resume',
      processor: 'relay',
      from,
      stop: stop ?? pendingStop(await relayState()),
    },
    context: newContext({ accountId: null, actor: 'test', requestId: 'test' }),
  });
const lives = async (affiliates: number, changes: number): Promise<void> => {
  const ids = Array.from({ length: affiliates }, () => newId('affiliate'));
  for (const id of ids) await writer.createAffiliate(id);
  for (let n = 1; n < changes; n++)
    for (const id of ids) await writer.renameAffiliate(id, String(n));
};
const readAgain = () => reads.filter((stream) => stream.startsWith('refledger.affiliate-')).length;

it('catches up without reading a stream again while the states fit in the cache, and reads them again otherwise', async () => {
  await lives(20, 10);
  await live(start());
  expect(topic.records).toHaveLength(200);
  expect(readAgain()).toBe(0);
  const published = topic.records;
  topic = new Topic();
  topic.storeId = 'store';
  await live(start(log, 10));
  expect(readAgain()).toBe(180);
  expect(topic.records).toEqual(published);
});

it.each(['before', 'after'] as const)(
  'starts a new session after an error %s a publication took effect, and publishes once',
  async (moment) => {
    const relay = start();
    await live(relay);
    const { startedCount } = topic;
    topic.fails = moment;
    await lives(2, 1);
    await waitFor(() => topic.records.length >= 2);
    await live(relay);
    expect(topic.startedCount).toBeGreaterThan(startedCount);
    expect(topic.records).toHaveLength(2);
  },
);

it('waits to lead again when another relay takes over', async () => {
  const relay = start();
  await live(relay);
  topic.over.abort(new Error('another relay is publishing now'));
  await lives(2, 1);
  await waitFor(() => topic.records.length === 2);
  await live(relay);
});

describe('personal values', () => {
  /** The records as a consumer on the cluster gets them. */
  const consumed = () =>
    topic.records.map((published) => {
      const { key, value, headers } = toMessage(published, log.id);
      const message = { key: Buffer.from(key), value: Buffer.from(value), headers };
      const read = readMessage(message, log.id);
      if (read.kind !== 'record') throw new Error(read.kind);
      return read.record.record as OpenAffiliateRecord;
    });
  const names = () => consumed().map(({ name }) => name);

  it('are in the clear for consumers', async () => {
    const affiliate = newId('affiliate');
    await writer.createAffiliate(affiliate, 'Ada');
    await writer.renameAffiliate(affiliate, 'Countess');
    await live(start());
    const [first, second] = consumed();
    const { external_id, payout_email, payout_hold_reason, reason, metadata } = affiliateFields;
    const others = { external_id, payout_email, payout_hold_reason, reason, metadata };
    expect(first).toMatchObject({ email: 'a@example.com', name: 'Ada', ...others });
    expect(second).toMatchObject({ email: 'a@example.com', name: 'Countess', ...others });
    for (const record of consumed())
      expect(Object.keys(record)).toEqual(Object.keys(affiliateSchema.shape));
  });

  it('that do not open let the relay retry: it publishes no part of the batch, and all of it once the keys are back', async () => {
    const relay = start();
    await live(relay);
    const { checkpoint } = topic;
    personalData.isLost = true;
    const affiliate = newId('affiliate');
    const conversion = newId('conversion');
    await writer.createAffiliate(affiliate, 'Ada');
    await writer.createConversion(conversion, affiliate);
    await writer.renameAffiliate(affiliate, 'Countess');
    const callsBefore = personalData.calls.length;
    await waitFor(() => personalData.calls.length >= callsBefore + 2);
    expect(relay.status()).toMatchObject({
      state: 'retrying',
      error: expect.stringContaining('has no key') as string,
    });
    expect(topic.records).toEqual([]);
    expect(topic.checkpoint).toEqual(checkpoint);

    personalData.isLost = false;
    await live(relay);
    expect(topic.records.map(({ type }) => type)).toEqual([
      'affiliate.created',
      'conversion.created',
      'affiliate.updated',
    ]);
    expect([names()[0], names()[2]]).toEqual(['Ada', 'Countess']);
  });
});

describe('refuses to continue until an operator decides,', () => {
  const refuses = async (relay: Relay, why: RegExp): Promise<void> => {
    await waitFor(() => relay.status().state === 'stopped' && why.test(relay.status().error ?? ''));
    expect(relay.status().error).toContain('ops resume relay --from start|head|<position>');
  };
  const published = async (): Promise<void> => {
    await lives(3, 1);
    await live(start());
    await ending.pop()?.();
  };

  it('with a store other than the recorded one; resuming from the start publishes everything again', async () => {
    await published();
    topic = new Topic();
    topic.storeId = 'another';
    const relay = start();
    await refuses(relay, /checkpoint is in store, but this is another/);
    expect(topic.records).toEqual([]);
    await decide('start');
    await live(relay);
    expect(topic.records).toHaveLength(3);
    await ending.pop()?.();
    await live(start());
    expect(topic.records).toHaveLength(3);
  });

  it('with a checkpoint from another log; resuming from the head omits earlier events', async () => {
    await published();
    topic.checkpoint = { ...present(topic.checkpoint), logId: 'elsewhere' };
    await lives(2, 1);
    const relay = start();
    await refuses(relay, /belongs to log elsewhere/);
    await decide('head');
    await live(relay);
    await lives(1, 1);
    await waitFor(() => topic.records.length === 4);
  });

  it('with a checkpoint at which the log has a different event; resuming from a position continues after its event', async () => {
    await published();
    const at = present(topic.records[0]).position;
    topic.checkpoint = { ...present(topic.checkpoint), eventId: 'lost' };
    const relay = start();
    await refuses(relay, /a different event at position/);
    await decide('99999');
    await refuses(relay, /position 99999, which the log has not reached/);
    await decide(at);
    await live(relay);
    expect(topic.records).toHaveLength(5);
  });

  it('but not with a valid checkpoint, which discards the decision', async () => {
    await published();
    await decide('start');
    const relay = start();
    await live(relay);
    expect(topic.records).toHaveLength(3);
    topic.checkpoint = { ...present(topic.checkpoint), eventId: 'lost' };
    topic.over.abort();
    await refuses(relay, /a different event at position/);
  });

  it('and a decision that is made while it publishes is discarded and logged, not kept for a later stop', async () => {
    await published();
    const relay = start();
    await live(relay);
    await decide('head');
    await waitFor(async () => pendingDecision(await relayState()) === undefined);
    expect(warnings).toEqual([
      'the decision to resume from head is ignored: the relay has a valid checkpoint',
    ]);
    await live(relay);
    topic.checkpoint = { ...present(topic.checkpoint), eventId: 'lost' };
    topic.over.abort();
    await refuses(relay, /a different event at position/);
  });

  it('and a decision about another stop is discarded', async () => {
    await published();
    topic.checkpoint = { ...present(topic.checkpoint), eventId: 'lost' };
    const relay = start();
    await refuses(relay, /a different event at position/);
    const stop = pendingStop(await relayState());
    await ending.pop()?.();
    await decide('head', stop);
    topic.checkpoint = { ...topic.checkpoint, eventId: 'lost as well' };
    const again = start();
    await refuses(again, /published event lost as well/);
    expect(warnings).toEqual([
      'the decision to resume from head is ignored: it is not about this stop',
    ]);
    await decide('start');
    await live(again);
    expect(topic.records).toHaveLength(6);
  });

  it('and one stop is decided about once', async () => {
    await published();
    topic.checkpoint = { ...present(topic.checkpoint), eventId: 'lost' };
    const relay = start();
    await refuses(relay, /a different event at position/);
    const stop = pendingStop(await relayState());
    await decide('head', stop);
    await live(relay);
    await expect(decide('start', stop)).rejects.toThrow('relay no longer waits for this decision');
    expect(await relayState()).toMatchObject({ resumed: { from: 'head', stop } });
  });
});
