import { claimedAppendSchema } from './claimed-append.js';

const event = {
  id: 'e1',
  type: 'affiliate.created',
  data: { any: 1 },
  metadata: {
    account_id: null,
    actor: 'key',
    request_id: 'r',
    schema: 1,
    recorded_at: '2026-01-01T00:00:00.000Z',
  },
};

it.each([
  [0, false],
  [1, true],
  [2, true],
  [3, false],
])('a claimed append is valid with %i events: %s', (events, success) => {
  const append = {
    stream: 'refledger.affiliate-aff_1',
    expected_revision: null,
    events: Array.from({ length: events }, () => event),
  };
  expect(claimedAppendSchema.safeParse(append)).toMatchObject({ success });
});
