import { affiliateValueNames, derivedId, DomainError } from '@refledger/contracts';
import type { AffiliateEvent, AffiliateFields, AffiliateValues } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { given, metadataArbitrary, textArbitrary } from '../../test/scenario.js';
import { newTermsArbitrary } from '../../test/terms.js';
import { affiliateFields, plainHashes } from '../testing/affiliate-events.js';
import type { PlainAffiliateCommand } from '../testing/plain-affiliate-decider.js';
import {
  decideAffiliate,
  type OpenAffiliateEvent,
  type ValuesCommand,
} from './affiliate-decision.js';
import { fieldsOf } from './affiliate-fields.js';
import { affiliateDecider, type AffiliateState } from './affiliate.decider.js';
import { changesHashes, openAffiliate, sealedEvents } from './sealed-affiliate.js';

const affiliate_id = derivedId('affiliate', 'ada');
const about = { affiliate_id, program_id: 'prog_a' } as const;
const pending: AffiliateFields = { ...affiliateFields, status: 'pending', metadata: { a: '1' } };

/** Seals under a number, so that no text says what it holds, and no two seals give the same one. */
const sealer = () => {
  const values: AffiliateValues[] = [];
  return {
    values,
    seal: (one: AffiliateValues) => `sealed ${values.push(one)}`,
    open: (text: string): AffiliateValues => {
      const found = values[Number(text.replace('sealed ', '')) - 1];
      if (found === undefined) throw new Error(`${text} was never sealed`);
      return found;
    },
  };
};

describe('sealing the events of an affiliate', () => {
  const { values, seal } = sealer();
  beforeEach(() => void values.splice(0));
  const hashes = plainHashes(pending);
  const created = { type: 'affiliate.created', data: { ...about, after: pending } } as const;
  const sealed = (
    decided: Parameters<typeof sealedEvents>[0],
    before: AffiliateState = affiliateDecider.initial,
  ) => sealedEvents(decided, before, { seal, hashes });
  const start = () => given(affiliateDecider, ...sealed([created]));
  const updated = (change: Partial<AffiliateFields>, before = pending) =>
    ({
      type: 'affiliate.updated',
      data: { ...about, before, after: { ...before, ...change } },
    }) as const;

  it('leaves only the plain fields outside the sealed text', () => {
    const { status, commission, commission_version, payout_hold, ...personal } = pending;
    const plain = { status, commission, commission_version, payout_hold };
    expect(sealed([created])).toEqual([
      {
        type: 'affiliate.created',
        data: { ...about, after: plain, sealed: 'sealed 1', hashes },
      },
    ]);
    expect(values).toEqual([personal]);
    expect(Object.keys(personal).sort()).toEqual([...affiliateValueNames].sort());
  });

  it('repeats the text for an approval in the same command', () => {
    const approved = {
      type: 'affiliate.approved',
      data: { ...about, before: pending, after: { ...pending, status: 'approved' } },
    } as const;
    expect(sealed([created, approved])).toMatchObject([
      { data: { sealed: 'sealed 1' } },
      {
        data: {
          sealed: 'sealed 1',
          hashes,
          before: { status: 'pending' },
          after: { status: 'approved' },
          changed: [],
          recipient_changed: false,
        },
      },
    ]);
  });

  it.each<Partial<AffiliateFields>>([
    { status: 'suspended' },
    { payout_hold: true },
    { commission: null, commission_version: 2 },
    { metadata: { a: '1' } },
  ])('repeats the text before an event that changes no personal value: %j', (change) => {
    expect(sealed([updated(change)], start())).toMatchObject([
      { data: { sealed: 'sealed 1', changed: [], recipient_changed: false } },
    ]);
    expect(values).toHaveLength(1);
  });

  it.each<[Partial<AffiliateFields>, (keyof AffiliateValues)[]]>([
    [{ email: 'ADA@example.com' }, ['email']],
    [{ external_id: 'user-42' }, ['external_id']],
    [{ name: 'Ada L.' }, ['name']],
    [{ payout_email: 'pay@example.com' }, ['payout_email']],
    [{ payout_hold: true, payout_hold_reason: 'bank' }, ['payout_hold_reason']],
    [{ status: 'rejected', reason: 'spam' }, ['reason']],
    [{ metadata: {} }, ['metadata']],
    [{ metadata: { a: '2' }, name: 'B' }, ['name', 'metadata']],
  ])('seals all values again if one changes, and says which: %j', (change, changed) => {
    expect(sealed([updated(change)], start())).toMatchObject([
      { data: { sealed: 'sealed 2', changed } },
    ]);
    expect({ ...pending, ...change }).toMatchObject(present(values[1]));
  });

  it.each<[Partial<AffiliateFields>, Partial<AffiliateFields>, boolean]>([
    [{}, { email: 'other@example.com' }, true],
    [{}, { email: 'ADA@example.com' }, true],
    [{}, { payout_email: 'pay@example.com' }, true],
    [{}, { payout_email: pending.email }, false],
    [{}, { name: 'Ada L.' }, false],
    [{ payout_email: 'pay@example.com' }, { email: 'other@example.com' }, false],
    [{ payout_email: 'pay@example.com' }, { payout_email: null }, true],
    [{ payout_email: pending.email }, { payout_email: null }, false],
  ])('of %j, %j changes the recipient: %s', (before, change, expected) => {
    expect(sealed([updated(change, { ...pending, ...before })], start())).toMatchObject([
      { data: { recipient_changed: expected } },
    ]);
  });

  it('needs other hashes only for a creation, an email or an external id', () => {
    expect(changesHashes([created])).toBe(true);
    expect(changesHashes([updated({ email: 'b@example.com' })])).toBe(true);
    expect(changesHashes([updated({ external_id: 'user-42' })])).toBe(true);
    expect(changesHashes([updated({ name: 'B', payout_email: 'pay@example.com' })])).toBe(false);
    expect(changesHashes([])).toBe(false);
  });
});

const email = fc.constantFrom('a@x.io', 'A@x.io', 'b@x.io');
const creations = fc.record({
  type: fc.constant('create'),
  approval: fc.constantFrom('manual', 'automatic'),
  affiliate_id: fc.constant(affiliate_id),
  program_id: fc.constant('prog_a'),
  email,
  external_id: fc.option(textArbitrary),
  name: textArbitrary,
  metadata: metadataArbitrary,
});
const patches = fc.record(
  {
    name: textArbitrary,
    email,
    external_id: fc.option(textArbitrary),
    status: fc.constantFrom('approved', 'rejected', 'suspended'),
    reason: textArbitrary,
    metadata: metadataArbitrary,
    commission: fc.option(newTermsArbitrary),
    payout_email: fc.option(email),
    payout_hold: fc.boolean(),
    payout_hold_reason: fc.option(textArbitrary),
  },
  { requiredKeys: [] },
);
const commands = fc.oneof(
  creations,
  {
    weight: 4,
    arbitrary: patches.map((patch) => ({ type: 'update', affiliate_id, patch })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('delete', 'erase').map((type) => ({ type, affiliate_id })),
  },
) as fc.Arbitrary<PlainAffiliateCommand>;

/** An affiliate under any commands, each sealed as the application seals it. */
const anyAffiliate = () => {
  const { seal, open } = sealer();
  const history: AffiliateEvent[] = [];
  const state = (): AffiliateState => given(affiliateDecider, ...history);
  const decided = (command: ValuesCommand): OpenAffiliateEvent[] => {
    const before = state();
    const events = decideAffiliate(command, openAffiliate(before, open));
    const last = events.at(-1);
    if (last === undefined) return [];
    const hashes =
      'hashes' in before && !changesHashes(events) ? before.hashes : plainHashes(last.data.after);
    history.push(...sealedEvents(events, before, { seal, hashes }));
    return events;
  };
  return {
    history,
    opened: () => openAffiliate(state(), open),
    /** Returns what a command decided; nothing if it was refused. */
    run: (command: PlainAffiliateCommand): OpenAffiliateEvent[] => {
      try {
        if (command.type === 'create' || command.type === 'update') return decided(command);
        history.push(...affiliateDecider.decide(command, state()));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
      }
      return [];
    },
  };
};

it('opens, after any commands, as it was decided before it was sealed', () => {
  fc.assert(
    fc.property(fc.array(commands, { maxLength: 12 }), (sequence) => {
      const { history, opened, run } = anyAffiliate();
      const decided: AffiliateFields[] = [];
      for (const command of sequence) {
        decided.push(...run(command).map(({ data }) => data.after));
        const affiliate = opened();
        const [fields, created] = [decided.at(-1), decided[0]];
        expect(affiliate.kind === 'none').toBe(fields === undefined);
        if (affiliate.kind === 'none' || affiliate.kind === 'erased') continue;
        expect(fieldsOf(affiliate.record)).toEqual(fields);
        const { program_id, ...asCreated } = affiliate.asCreated;
        expect(program_id).toBe(affiliate.record.program_id);
        expect(created).toMatchObject(asCreated);
      }
      const changes = history.flatMap((event) => ('after' in event.data ? [event.data] : []));
      for (const [n, { sealed, hashes, ...data }] of changes.entries()) {
        expect(hashes).toEqual(plainHashes(present(decided[n])));
        // a text is repeated if and only if no value changes
        const isSame = sealed === changes[n - 1]?.sealed;
        expect(isSame).toBe('changed' in data && data.changed.length === 0);
      }
    }),
  );
});
