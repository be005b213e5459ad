import { randomUUID } from 'node:crypto';
import {
  eventIdOf,
  eventSchemaVersion,
  newId,
  streams,
  type AffiliateId,
  type EmailClaimEvent,
  type StreamName,
} from '@refledger/contracts';
import { affiliateRecord, emailClaimDecider, type EmailClaim } from '@refledger/domain';
import {
  plainAffiliate,
  plainAffiliateDecider,
  plainValues,
  type PlainAffiliateCommand,
} from '@refledger/domain/testing';
import {
  EventLogError,
  type EventLog,
  type ExpectedRevision,
  type NewEvent,
} from '@refledger/event-log';
import { eventsOf } from '@refledger/event-log/conformance';
import { newSimulatedLog } from '@refledger/simulation';
import { present } from '@refledger/testing/present';
import { newContext } from '../command-context.js';
import { CommandHandler } from '../command-handler.js';
import { claimedAppend } from './claimed-append.js';
import { Claims, type ClaimVerdict, type ClaimRequest } from './claims.js';

const metadata = {
  account_id: null,
  actor: 'test',
  request_id: 'r',
  schema: eventSchemaVersion,
  recorded_at: '2026-01-01T00:00:00.000Z',
};
const newEvents = (count: number): NewEvent[] =>
  Array.from({ length: count }, () => ({
    id: randomUUID(),
    type: 'affiliate.created',
    data: { any: 1 },
    metadata,
  }));

describe.each([
  ['one event', 1, 'manual'],
  ['two events', 2, 'automatic'],
] as const)('claims of appends of %s', (_name, count, approval) => {
  let log: EventLog;
  beforeEach(() => (log = newSimulatedLog()));
  afterEach(() => log.close());

  const stream = streams.claim('1');
  const claimsOn = (on: EventLog): Claims<EmailClaim, EmailClaimEvent> =>
    new Claims(new CommandHandler(on), emailClaimDecider);
  const idsIn = async (name: StreamName): Promise<string[]> =>
    (await eventsOf(log.readStream(name))).map(({ id }) => id);
  const holders = async (): Promise<AffiliateId[]> =>
    (await eventsOf(log.readStream(stream))).map(({ data }) => (data as EmailClaim).affiliate_id);

  /** A holder, the events that it wants to append, and the claim that holds them. */
  const newHolder = (events = newEvents(count)) => {
    const id = newId('affiliate');
    const own = streams.affiliate(id);
    const data: EmailClaim = { affiliate_id: id, append: claimedAppend(own, events, undefined) };
    return { id, own, events, ids: events.map((event) => event.id), data };
  };
  type Holder = ReturnType<typeof newHolder>;

  /** The arguments of `judge`, in order. */
  let judged: [AffiliateId, number | undefined][];
  beforeEach(() => (judged = []));
  const wanted = ({ data }: Holder, verdict: ClaimVerdict): ClaimRequest<EmailClaim> => ({
    stream,
    data,
    context: newContext({ accountId: null, actor: 'test', requestId: 'r' }),
    attempt: 0,
    judge: ({ affiliate_id }, appended) => {
      judged.push([affiliate_id, appended?.revision]);
      return verdict;
    },
  });
  const take = (holder: Holder, verdict: ClaimVerdict = 'decide again') =>
    claimsOn(log).take(wanted(holder, verdict));
  /** Takes the claim, and stops before the append that it holds. */
  const takeOnly = async ({ data }: Holder): Promise<void> => {
    const claim = { id: randomUUID(), type: 'claim.taken', data, metadata };
    await log.append(stream, [claim], 'no stream');
  };

  it('a free claim is taken, and its append is made as a whole', async () => {
    const ada = newHolder();
    expect(await take(ada)).toMatchObject({ revision: count - 1 });
    expect(await idsIn(ada.own)).toEqual(ada.ids);
    expect(await eventsOf(log.readStream(stream))).toMatchObject([
      { type: 'claim.taken', data: ada.data },
    ]);
    expect(judged).toEqual([]);
  });

  it('a claim has the time of its append, so that a read as of that time shows it', async () => {
    const ada = newHolder();
    await take(ada);
    expect((await eventsOf(log.readStream(stream)))[0]?.metadata).toMatchObject({
      recorded_at: metadata.recorded_at,
    });
  });

  it('an unfinished claim is finished before it is judged', async () => {
    const [ada, bob] = [newHolder(), newHolder()];
    await takeOnly(ada);
    expect(await take(bob)).toBeUndefined();
    expect(judged).toEqual([[ada.id, count - 1]]);
    expect(await idsIn(ada.own)).toEqual(ada.ids);
    expect(await idsIn(bob.own)).toEqual([]);
    expect(await holders()).toEqual([ada.id]);
  });

  it('a finished claim is found again without any append, whatever followed', async () => {
    const [ada, bob] = [newHolder(), newHolder()];
    await take(ada);
    const later = newEvents(3);
    await log.append(ada.own, later, count - 1);
    expect(await take(bob)).toBeUndefined();
    expect(judged).toEqual([[ada.id, count - 1]]);
    expect(await idsIn(ada.own)).toEqual([...ada.ids, ...later.map(({ id }) => id)]);
    expect(await claimsOn(log).loadAndComplete(stream)).toMatchObject({
      claim: { state: { data: ada.data }, revision: 0 },
      appended: { revision: count - 1 },
    });
  });

  it('a claim whose stream has other events is void: it is replaced, and never finished', async () => {
    const [ada, bob] = [newHolder(), newHolder()];
    // with two events, only the second differs
    const others = [...ada.events.slice(0, count - 1), ...newEvents(1)];
    await takeOnly(ada);
    await log.append(ada.own, others, 'no stream');
    expect(await take(bob, 'replace')).toMatchObject({ revision: count - 1 });
    expect(judged).toEqual([[ada.id, undefined]]);
    expect(await idsIn(ada.own)).toEqual(others.map(({ id }) => id));
    expect(await idsIn(bob.own)).toEqual(bob.ids);
    expect(await holders()).toEqual([ada.id, bob.id]);
  });

  it('the command decides again if its stream changed since the decision', async () => {
    const ada = newHolder();
    await log.append(ada.own, newEvents(1), 'no stream');
    expect(await take(ada)).toBeUndefined();
    // the claim that it left behind is void, and not taken twice for the same append
    expect(await take(ada, 'replace')).toBeUndefined();
    expect(judged).toEqual([[ada.id, undefined]]);
    expect(await holders()).toEqual([ada.id]);
  });

  it('a claim that another took after it was judged is not taken', async () => {
    const [ada, bob] = [newHolder(), newHolder()];
    const { judge, ...taking } = wanted(bob, 'replace');
    const free = present(await claimsOn(log).judged(stream, judge));
    await take(ada);
    expect(await claimsOn(log).takeJudged(free, taking)).toBeUndefined();
    expect(await holders()).toEqual([ada.id]);
    expect(await idsIn(bob.own)).toEqual([]);
    expect(await idsIn(ada.own)).toEqual(ada.ids);
  });

  it('a refusal by the judge refuses the command', async () => {
    const [ada, bob] = [newHolder(), newHolder()];
    await take(ada);
    const judge = (): never => {
      throw new Error('taken');
    };
    await expect(claimsOn(log).take({ ...wanted(bob, 'replace'), judge })).rejects.toThrow('taken');
    expect(await holders()).toEqual([ada.id]);
  });

  it('of many concurrent commands, one is first and all others decide again', async () => {
    const all = Array.from({ length: 20 }, () => newHolder());
    const outcomes = await Promise.all(all.map((holder) => take(holder)));
    expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(1);
    const first = present(all[outcomes.findIndex((outcome) => outcome !== undefined)]);
    expect(await holders()).toEqual([first.id]);
    for (const { own, ids } of all) expect(await idsIn(own)).toEqual(own === first.own ? ids : []);
  });

  it('each attempt has its own event id', async () => {
    const ids: string[] = [];
    const contended = Object.assign(Object.create(log) as EventLog, {
      append: (name: StreamName, [event]: readonly NewEvent[], expected: ExpectedRevision) => {
        ids.push(present(event).id);
        return Promise.reject(
          new EventLogError(
            { kind: 'wrong_revision', stream: name, expected, actual: 7 },
            'conflict',
          ),
        );
      },
    });
    const request = wanted(newHolder(), 'replace');
    for (const attempt of [0, 1])
      expect(await claimsOn(contended).take({ ...request, attempt })).toBeUndefined();
    expect(ids).toEqual([0, 1].map((n) => eventIdOf(request.context.commandId, stream, n, 0)));
  });

  it('a run whose decision depends on the claim decides again if another is first', async () => {
    const commands = new CommandHandler(log);
    const claims = new Claims(commands, emailClaimDecider);
    const create = (id: AffiliateId) => {
      const own = streams.affiliate(id);
      const context = newContext({ accountId: null, actor: 'test', requestId: 'r' });
      return commands.run({
        stream: own,
        decider: plainAffiliateDecider,
        context,
        command: async (): Promise<PlainAffiliateCommand> => ({
          type: 'create',
          affiliate_id: id,
          approval,
          program_id: 'prog_a',
          email: 'ada@example.com',
          name: (await claims.loadAndComplete(stream)).appended === undefined ? 'first' : 'later',
          metadata: {},
        }),
        appender: {
          append: ({ events: [event], newEvents, loaded: { revision }, attempt }) => {
            if (
              event?.type === 'affiliate.created' &&
              plainValues(event.data.sealed).name === 'later'
            )
              return commands.appendAt(own, newEvents, revision);
            return claims.take({
              stream,
              data: { affiliate_id: id, append: claimedAppend(own, newEvents, revision) },
              context,
              attempt,
              judge: (_data, appended) => (appended === undefined ? 'replace' : 'decide again'),
            });
          },
          maxAttempts: 20,
          recordName: `Affiliate ${id}`,
        },
      });
    };
    const ids = Array.from({ length: 20 }, () => newId('affiliate'));
    const outcomes = await Promise.all(ids.map(create));
    const first = outcomes.filter(({ state }) => {
      const record = affiliateRecord(state);
      return record && plainAffiliate(record).name === 'first';
    });
    expect(first).toHaveLength(1);
    expect(await holders()).toEqual([affiliateRecord(present(first[0]).state)?.id]);
    for (const { events, revision } of outcomes) {
      expect(events).toHaveLength(count);
      expect(revision).toBe(count - 1);
    }
  });
});
