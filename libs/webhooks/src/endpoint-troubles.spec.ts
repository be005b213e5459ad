import { newId } from '@refledger/contracts';
import type { Attempted } from './attempt-sender.js';
import type { AttemptOutcome } from './delivery-store.js';
import { EndpointTroubles } from './endpoint-troubles.js';

const of = { endpointId: newId('endpoint'), accountId: newId('account') };
const ended = (
  outcome: AttemptOutcome,
  error: string | null = null,
): Pick<Attempted, 'result'> => ({
  result: {
    deliveryId: newId('delivery'),
    attempt: { number: 1, startedAt: '', finishedAt: '', outcome, status: 500, error },
    next: { status: 'succeeded' },
  },
});

it('says once that an endpoint fails, and once that it answers again', () => {
  const said: string[] = [];
  const say = (level: string) => (_about: object, message: string) =>
    void said.push(`${level} ${message}`);
  const troubles = new EndpointTroubles({
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
  });
  for (const outcome of [
    'succeeded',
    'failed',
    'unknown',
    'failed',
    'cancelled',
    'succeeded',
    'succeeded',
  ] as const)
    troubles.note(of, ended(outcome));
  troubles.note({ ...of, endpointId: newId('endpoint') }, ended('failed', 'connection refused'));
  expect(said).toEqual([
    `warn webhooks to ${of.endpointId} fail: the answer was 500`,
    `info webhooks to ${of.endpointId} succeed again, after 2 failed attempts`,
    expect.stringMatching(/^warn webhooks to whk_\w+ fail: connection refused$/),
  ]);
});

it('forgets an endpoint that is there no more', () => {
  const said: string[] = [];
  const note = (_about: object, message: string) => void said.push(message);
  const troubles = new EndpointTroubles({ info: note, warn: note, error: note });
  troubles.note(of, ended('failed'));
  troubles.forget(of.endpointId);
  troubles.note(of, ended('succeeded'));
  expect(said).toHaveLength(1);
});
