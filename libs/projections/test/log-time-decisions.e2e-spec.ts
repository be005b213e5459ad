import { randomUUID } from 'node:crypto';
import { streams, type DomainEvent, type Position } from '@refledger/contracts';
import { postingName } from '@refledger/domain';
import { encodeEvent, type EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { minuteIndexProjection, MinuteIndex, ProjectionGroup } from '../src/index.js';
import { affiliateCreated } from './builders.js';
import { Embedded } from './embedded.js';

const right = '2026-01-31T10:00:00.000Z';
const wrong = '2026-03-01T10:00:00.000Z';

let embedded: Embedded;
let log: EventLog;
let store: ReadStore;
beforeEach(async () => {
  decisions = 0;
  embedded = new Embedded();
  log = await embedded.openLog();
  store = await embedded.openStore();
});
afterEach(() => embedded.remove());

let decisions: number;
const append = async (event: DomainEvent, recorded_at: string, own = true): Promise<Position> => {
  const account_id = own ? 'acct_1' : null;
  const metadata = { account_id, actor: 'a', request_id: 'r', recorded_at } as const;
  const stream = own ? streams.affiliate(`aff_${randomUUID()}`) : streams.processor(postingName);
  const encoded = encodeEvent(event, randomUUID(), metadata);
  const expected = own || decisions++ === 0 ? 'no stream' : decisions - 2;
  const { position } = await log.append(stream, [encoded], expected);
  if (position === undefined) throw new Error('the log returned no position');
  return position;
};

const ignoreTime = async (position: Position): Promise<Position> => {
  const { id, stream, revision, metadata } = present(await log.eventAt(position));
  const { recorded_at } = metadata;
  const data = { processor: postingName, event_id: id, position, stream, revision, recorded_at };
  return append({ type: 'log_time.ignored', data }, right, false);
};

const skip = async (position: Position): Promise<Position> => {
  const event_id = present(await log.eventAt(position)).id;
  const data = { processor: postingName, event_id, position };
  return append({ type: 'processor.skipped', data }, right, false);
};

const builds = async () => store.builds(minuteIndexProjection.name);
const live = async () => (await builds()).find(({ state }) => state === 'live');
const dayAt = (position: Position) => new MinuteIndex(store, log.id).dayAt(position);
const run = () => embedded.run(log, store, [minuteIndexProjection]);
/** Resolves once the only build is live and has reached the end of the log. */
const settled = () =>
  waitFor(async () => {
    const [build, ...others] = await builds();
    const head = await log.head();
    return (
      others.length === 0 &&
      build?.state === 'live' &&
      build.checkpoint?.position === head &&
      build.id
    );
  });

/** A build that was interrupted when it had reached the end of the log. */
const interruptedBuild = async () => {
  const build = await store.createBuild(minuteIndexProjection, log.id, 'first');
  const kept = [{ projection: minuteIndexProjection, build }];
  const group = new ProjectionGroup(kept, store, log.id);
  for await (const batch of log.readAll()) await group.apply(batch, new Set());
  return build;
};

it('marks that were made before the decision are made again, once', async () => {
  await append(affiliateCreated, right);
  const ahead = await append(affiliateCreated, wrong);
  const running = run();
  const before = await settled();
  expect(await dayAt(ahead)).toBe('2026-03-01');
  const decision = await ignoreTime(ahead);

  await waitFor(async () => (await live())?.id !== before);
  const after = await settled();
  expect([await dayAt(ahead), await dayAt(decision)]).toEqual(['2026-01-31', '2026-01-31']);
  const last = await append(affiliateCreated, wrong);
  expect(await settled()).toBe(after);
  expect(await dayAt(last)).toBe('2026-03-01');
  await running.stop();
});

it.each([
  ['ignore a time', ignoreTime],
  ['skip', skip],
])('a build that was interrupted before a decision to %s starts over', async (_, decide) => {
  await append(affiliateCreated, right);
  const ahead = await append(affiliateCreated, wrong);
  const interrupted = await interruptedBuild();
  const decision = await decide(ahead);
  const running = run();

  expect(await settled()).not.toBe(interrupted.id);
  expect(await dayAt(decision)).toBe('2026-01-31');
  await running.stop();
});

it('a build that met the event before it knew of the decision is made again', async () => {
  await append(affiliateCreated, right);
  const ahead = await append(affiliateCreated, wrong);
  let decision: Promise<Position> | undefined;
  /** The operator decides right after the projector has read what was decided. */
  const decidingMeanwhile = Object.assign(Object.create(log) as EventLog, {
    readStream: async function* (...asked: Parameters<EventLog['readStream']>) {
      yield* log.readStream(...asked);
      if (asked[0] === streams.processor(postingName)) await (decision ??= ignoreTime(ahead));
    },
  });
  const running = embedded.run(decidingMeanwhile, store, [minuteIndexProjection]);
  const decided = await waitFor(() => decision);
  await waitFor(async () => (await live()) && (await dayAt(decided)) === '2026-01-31');
  await running.stop();
});

it('a build that knows the decision before it meets the event is not made twice', async () => {
  await append(affiliateCreated, right);
  const first = await interruptedBuild();
  const ahead = await append(affiliateCreated, wrong);
  const decision = await ignoreTime(ahead);
  const running = run();

  expect(await settled()).toBe(first.id);
  expect(await dayAt(decision)).toBe('2026-01-31');
  await running.stop();
});

it('marks follow an event that posting was made to skip, and one whose skip was lifted', async () => {
  await append(affiliateCreated, right);
  const ahead = await append(affiliateCreated, wrong);
  const running = run();
  const first = await settled();
  const { id: event_id, stream, revision } = present(await log.eventAt(ahead));
  const about = { processor: postingName, stop: null };
  await skip(ahead);
  await waitFor(async () => (await live())?.id !== first);
  const second = await settled();
  expect(await dayAt(ahead)).toBe('2026-01-31');

  // only a decision that lifts a skip changes log time
  await append({ type: 'processor.resumed', data: { ...about, from: 'start' } }, right, false);
  expect(await settled()).toBe(second);
  const lift = { ...about, from: ahead, lifts: { event_id, stream, revision } };
  await append({ type: 'processor.resumed', data: lift }, right, false);
  await waitFor(async () => (await live())?.id !== second);
  await settled();
  expect(await dayAt(ahead)).toBe('2026-03-01');
  await running.stop();
});
