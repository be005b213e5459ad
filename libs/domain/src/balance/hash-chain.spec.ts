import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { balanceAbout, bonus, opened, post, posting } from '../../test/balances.js';
import { chainStart, nextInChain } from './hash-chain.js';

/** The code with which an auditor recomputes the chain, as docs/ledger.md prints it. */
const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');
const canonical = (v: unknown): string =>
  v === null || typeof v !== 'object'
    ? JSON.stringify(v) // RFC 8785 for data without fractions
    : Array.isArray(v)
      ? `[${v.map(canonical).join(',')}]`
      : `{${Object.keys(v)
          .sort()
          .map((k) => `${JSON.stringify(k)}:${canonical(Reflect.get(v, k))}`)
          .join(',')}}`;
const heads = (
  balanceId: string,
  events: readonly { data: { chain: string } & Record<string, unknown> }[],
) => {
  const seen = [sha256(balanceId)];
  for (const {
    data: { chain, ...data },
  } of events) {
    const next = sha256(String(seen.at(-1)) + canonical(data));
    seen.push(next);
    if (next !== chain) throw new Error(`the chain breaks at event ${seen.length - 1}`);
  }
  return seen;
};

const { balance_id } = balanceAbout;

it('starts with the hash of the id of the balance', () => {
  expect(chainStart(balance_id)).toBe(sha256(balance_id));
});

it('is what an auditor recomputes from the events as they are stored', () => {
  const description = 'Größe "L" \u2028 \u0007 🎉';
  const { entry, ...rest } = bonus(2, -500);
  const { events, state } = post(opened, [
    posting(1, 4000),
    { ...rest, entry: { ...entry, description } },
    posting(3, 999_999_999_999),
  ]);
  const stored = JSON.parse(JSON.stringify(events)) as Parameters<typeof heads>[1];
  const recomputed = heads(balance_id, stored);
  expect(recomputed).toHaveLength(4);
  expect(recomputed.at(-1)).toBe(state.chain);
});

it('does not depend on the order of members, and covers nested ones', () => {
  const [start, ordered] = [chainStart(balance_id), { a: 1, b: { c: [2, { d: null }], e: 'f' } }];
  expect(nextInChain(start, { b: { e: 'f', c: [2, { d: null }] }, a: 1 })).toBe(
    nextInChain(start, ordered),
  );
  expect(nextInChain(start, { b: { e: 'f', c: [2, { d: 0 }] }, a: 1 })).not.toBe(
    nextInChain(start, ordered),
  );
});

it('is the canonical JSON of any data', () => {
  fc.assert(
    fc.property(fc.object({ values: [fc.string({ unit: 'binary' }), fc.integer()] }), (data) => {
      expect(nextInChain('', data)).toBe(sha256(canonical(data)));
    }),
  );
});

it.each(['number', 'amount', 'payable_on', 'posted_at', 'kind'])(
  'shows that %s was changed',
  (field) => {
    const { events } = post(opened, [posting(1, 4000), posting(2, 500)]);
    const stored = JSON.parse(JSON.stringify(events)) as Parameters<typeof heads>[1];
    const [first] = stored;
    if (first !== undefined) first.data[field] = '1';
    expect(() => heads(balance_id, stored)).toThrow('the chain breaks at event 1');
  },
);
