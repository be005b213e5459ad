import { derivedId } from '../ids/ids.js';
import { affiliate, affiliateValueNames } from './affiliate.events.js';
import { affiliateSchema } from './affiliate.record.js';

const plain = { status: 'pending', commission: null, commission_version: 0, payout_hold: false };
const about = { affiliate_id: derivedId('affiliate', 'ada'), program_id: 'prog_a' };
const data = {
  ...about,
  before: plain,
  after: plain,
  sealed: 'v1.text',
  hashes: { email: 'hash', external_id: null },
  changed: [],
  recipient_changed: false,
};

it('every field of an affiliate is sealed, plain, or the same in all its events', () => {
  const same = [
    'id',
    'object',
    'program_id',
    'created_at',
    'updated_at',
    'approved_at',
    'revision',
  ];
  expect([...affiliateValueNames, ...Object.keys(plain), ...same].sort()).toEqual(
    Object.keys(affiliateSchema.shape).sort(),
  );
});

const { events } = affiliate;
const { before, after, sealed, hashes } = data;
it.each([
  ['affiliate.created', { ...about, after, sealed, hashes }],
  ['affiliate.updated', data],
  ['affiliate.approved', data],
  ['affiliate.rejected', data],
  ['affiliate.suspended', data],
  ['affiliate.deleted', { ...about, before }],
] as const)('%s accepts no personal value outside its sealed text', (type, valid) => {
  const accepts = (change: object) => events[type].safeParse({ ...valid, ...change }).success;
  expect(accepts({})).toBe(true);
  for (const name of affiliateValueNames) {
    expect(accepts({ [name]: null })).toBe(false);
    for (const part of ['before', 'after'].filter((member) => member in valid))
      expect(accepts({ [part]: { ...plain, [name]: null } })).toBe(false);
  }
});
