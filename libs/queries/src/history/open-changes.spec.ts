import fc from 'fast-check';
import {
  derivedId,
  streams,
  toInstant,
  toPosition,
  type AffiliateEvent,
  type AffiliateFields,
  type AffiliateRecord,
  type AffiliateValues,
  type FieldChange,
  type Position,
} from '@refledger/contracts';
import { RecordHistory, ThrottledReads, type Revisions } from '@refledger/application';
import { affiliateEvents, affiliateFields, plainPersonalData } from '@refledger/domain/testing';
import { encodeEvent, type EventLog, type LoggedEvent } from '@refledger/event-log';
import { openChanges } from './open-changes.js';

const affiliate_id = derivedId('affiliate', 'ada');
const about = { affiliate_id, program_id: 'prog_a' } as const;
const stream = streams.affiliate(affiliate_id);
const reader = { accountId: 'acct_a', keyId: 'key_a' } as const;
const timeOf = (revision: number): string => toInstant(Date.UTC(2026, 0, 1) + revision * 60_000);
const positionOf = (revision: number) => toPosition(String(revision + 1)) as Position;

/** The fields of an affiliate at each revision; `deleted` once it was deleted. */
type Life = readonly [AffiliateFields, ...(AffiliateFields | 'deleted')[]];

const eventsOf = ([created, ...later]: Life): AffiliateEvent[] => {
  let before = created;
  const changes = later.map((after): AffiliateEvent => {
    if (after === 'deleted') return affiliateEvents.deleted(about, before);
    const event = affiliateEvents.changed(typeOf(before, after), about, [before, after]);
    before = after;
    return event;
  });
  return [affiliateEvents.created(about, created), ...changes];
};

const typeOf = ({ status: earlier }: AffiliateFields, { status }: AffiliateFields) =>
  status === earlier || status === 'pending'
    ? 'affiliate.updated'
    : (`affiliate.${status}` as const);

/** Reads and opens changes as a gateway does. */
const historyOf = async (life: Life, { from, to }: Revisions, withRecords = false) => {
  const logged = eventsOf(life).map((event, revision): LoggedEvent => ({
    ...encodeEvent(event, `event-${revision}`, {
      account_id: 'acct_a',
      actor: 'suite',
      request_id: 'r',
      recorded_at: timeOf(revision),
    }),
    stream,
    revision,
    position: positionOf(revision),
  }));
  const log: Pick<EventLog, 'readStream'> = {
    async *readStream(_stream, { from = 0, to = logged.length } = {}) {
      for (const event of logged)
        if (event.revision >= from && event.revision <= to) yield await Promise.resolve([event]);
    },
  };
  const waits = { run: <T>(_: unknown, read: () => Promise<T>) => read() };
  const paced = new ThrottledReads(waits, { now: () => 0, sleep: () => Promise.resolve() });
  const history = new RecordHistory(log, paced);
  const of = { kind: 'affiliate', stream, revision: logged.length - 1, reader } as const;
  const past = await (withRecords
    ? history.changesWithRecords(of, { from, to })
    : history.changes(of, { from, to }));
  const opened: (readonly string[])[] = [];
  const changes = await openChanges(
    {
      ...plainPersonalData,
      openValues: (id: string, sealed: ReadonlySet<string>) => {
        opened.push([...sealed]);
        return plainPersonalData.openValues(id, sealed);
      },
    },
    'affiliate',
    past,
  );
  return { changes, opened };
};

const ada = { ...affiliateFields, status: 'pending' } as const;
const all = (life: Life): Revisions => ({ from: 0, to: life.length - 1 });

it('begins with every field that the affiliate has, in the order of the contract', async () => {
  const life: Life = [{ ...ada, external_id: 'A-1', metadata: { team: 'a', 'x/y~z': 'b' } }];

  const { changes } = await historyOf(life, all(life));

  const from = (path: string, after: unknown): FieldChange => ({ path, before: null, after });
  expect(changes).toMatchObject([{ event: { type: 'affiliate.created' }, reason: null }]);
  expect(changes[0]?.changes).toEqual([
    from('/id', affiliate_id),
    from('/object', 'affiliate'),
    from('/email', 'ada@example.com'),
    from('/external_id', 'A-1'),
    from('/name', 'Ada'),
    from('/program_id', 'prog_a'),
    from('/status', 'pending'),
    from('/commission_version', 0),
    from('/payout_hold', false),
    from('/metadata/team', 'a'),
    from('/metadata/x~1y~0z', 'b'),
  ]);
});

it('lists the key of metadata that changed, and an email for payouts that came and went', async () => {
  const metadata = { team: 'a', since: '2025' };
  const [first, redirected, back] = [
    { ...ada, metadata },
    { ...ada, metadata: { team: 'b', since: '2025' }, payout_email: 'pay@example.com' },
    { ...ada, metadata: { team: 'b' } },
  ];

  const { changes } = await historyOf([first, redirected, back], { from: 1, to: 2 });

  expect(changes.map((change) => change.changes)).toEqual([
    [
      { path: '/payout_email', before: null, after: 'pay@example.com' },
      { path: '/metadata/team', before: 'a', after: 'b' },
    ],
    [
      { path: '/payout_email', before: 'pay@example.com', after: null },
      { path: '/metadata/since', before: '2025', after: null },
    ],
  ]);
});

it('shows the reason of each change of status, and not where it was kept', async () => {
  const rejected = { ...ada, status: 'rejected', reason: 'self-referral' } as const;
  const life: Life = [
    ada,
    rejected,
    { ...rejected, name: 'Bea' },
    { ...rejected, name: 'Bea', status: 'approved', reason: null },
  ];

  const { changes } = await historyOf(life, { from: 1, to: 3 });

  expect(changes.map(({ reason }) => reason)).toEqual(['self-referral', null, null]);
});

it('ends with every field that a deleted affiliate had', async () => {
  const life: Life = [{ ...ada, metadata: { team: 'a' } }, 'deleted'];

  const { changes } = await historyOf(life, { from: 1, to: 1 });

  const gone = (path: string, before: unknown): FieldChange => ({ path, before, after: null });
  expect(changes).toMatchObject([{ event: { type: 'affiliate.deleted' }, reason: null }]);
  expect(changes[0]?.changes).toEqual([
    gone('/email', 'ada@example.com'),
    gone('/name', 'Ada'),
    gone('/status', 'pending'),
    gone('/commission_version', 0),
    gone('/payout_hold', false),
    gone('/metadata/team', 'a'),
  ]);
});

it('opens each sealed text of a page once, with one key', async () => {
  const [approved, held] = [
    { ...ada, status: 'approved' },
    { ...ada, status: 'approved', payout_hold: true },
  ] as const;
  const life: Life = [ada, approved, held, { ...held, name: 'Bea' }];

  const { opened } = await historyOf(life, { from: 1, to: 3 }, true);

  const names = opened.map((texts) =>
    texts.map((text) => (JSON.parse(text) as AffiliateValues).name),
  );
  expect(names).toEqual([['Ada', 'Bea']]);
});

it('opens nothing for a page without changes', async () => {
  expect(await historyOf([ada], { from: 1, to: 0 })).toEqual({ changes: [], opened: [] });
});

const text = fc.option(fc.constantFrom('a', 'b'));
const metadata = fc.dictionary(
  fc.constantFrom('a', 'b', '~', '/', 'constructor', 'email'),
  fc.constantFrom('a', 'b'),
  { noNullPrototype: true },
);
const later: fc.Arbitrary<AffiliateFields> = fc.record({
  email: fc.constantFrom('ada@example.com', 'ADA@example.com', 'bea@example.com'),
  external_id: text,
  name: fc.constantFrom('Ada', 'Bea'),
  status: fc.constantFrom('approved', 'rejected', 'suspended'),
  commission: fc.constant(null),
  commission_version: fc.nat(1),
  payout_email: text,
  payout_hold: fc.boolean(),
  payout_hold_reason: text,
  reason: text,
  metadata,
});
const life: fc.Arbitrary<Life> = fc
  .tuple(metadata, text, fc.array(later, { maxLength: 6 }), fc.boolean())
  .map(([metadata, external_id, changes, isDeleted]) => [
    { ...ada, metadata, external_id },
    ...changes,
    ...(isDeleted ? (['deleted'] as const) : []),
  ]);

it('equals the differences between the plain records, from any revision to any other', async () => {
  await fc.assert(
    fc.asyncProperty(life, fc.nat(7), fc.nat(7), fc.boolean(), async (life, a, b, withRecords) => {
      const from = Math.min(a, b, life.length - 1);
      const to = Math.min(Math.max(a, b), life.length - 1);

      const { changes } = await historyOf(life, { from, to }, withRecords);

      const expected = expectedHistory(life).slice(from, to + 1);
      expect(
        changes.map(({ reason, changes, record }) => ({
          reason,
          changes: Object.fromEntries(changes.map(({ path, ...values }) => [path, values])),
          record,
        })),
      ).toEqual(
        expected.map((change) => ({ ...change, record: withRecords ? change.record : undefined })),
      );
      expect(changes.map(({ event }) => event.revision)).toEqual(expected.map((_, n) => from + n));
    }),
  );
});

interface ExpectedChange {
  readonly reason: string | null;
  readonly changes: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>;
  readonly record: AffiliateRecord;
}

const identity = { id: affiliate_id, object: 'affiliate', program_id: 'prog_a' } as const;

/** A model of the history: it compares plain records, and knows of no event and no sealed text. */
const expectedHistory = ([created, ...later]: Life): ExpectedChange[] => {
  const times = { created_at: timeOf(0), updated_at: timeOf(0), approved_at: null };
  const first: AffiliateRecord = { ...identity, ...created, ...times, revision: 0 };
  const beginning = differencesOf({}, { ...pointersOf(identity), ...pointersOf(created) });
  let expected: ExpectedChange = { reason: null, changes: beginning, record: first };
  return [
    expected,
    ...later.map((after, n) => {
      const touched = { ...expected.record, updated_at: timeOf(n + 1), revision: n + 1 };
      expected = after === 'deleted' ? expectedEnd(touched) : expectedChange(touched, after);
      return expected;
    }),
  ];
};

const expectedEnd = (record: AffiliateRecord): ExpectedChange => ({
  reason: null,
  changes: differencesOf(pointersOf(changeable(record)), {}),
  record,
});

const expectedChange = (record: AffiliateRecord, after: AffiliateFields): ExpectedChange => {
  const hasNewStatus = after.status !== record.status;
  const isApproved = hasNewStatus && after.status === 'approved';
  return {
    reason: hasNewStatus || after.reason !== record.reason ? after.reason : null,
    changes: differencesOf(pointersOf(changeable(record)), pointersOf(after)),
    record: {
      ...record,
      ...after,
      approved_at: isApproved ? record.updated_at : record.approved_at,
    },
  };
};

const changeable = (record: AffiliateRecord): Partial<AffiliateRecord> =>
  Object.fromEntries(Object.keys(ada).map((name) => [name, record[name as keyof typeof ada]]));

/** The listed values of a record by their JSON pointers. */
const pointersOf = ({ metadata = {}, reason: _reason, ...fields }: Partial<AffiliateRecord>) =>
  Object.fromEntries([
    ...Object.entries(fields).map(([name, value]) => [`/${name}`, value] as const),
    ...Object.entries(metadata).map(
      ([key, value]) => [`/metadata/${key.replace('~', '~0').replace('/', '~1')}`, value] as const,
    ),
  ]);

const differencesOf = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ExpectedChange['changes'] =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .map((path) => [path, { before: before[path] ?? null, after: after[path] ?? null }] as const)
      .filter(([, { before, after }]) => before !== after),
  );
