import { newId } from '@refledger/contracts';
import type { Attempt, AttemptOutcome } from '../stores/delivery-store.js';
import { EndpointHealth } from './endpoint-health.js';

const of = { endpointId: newId('endpoint'), accountId: newId('account') };
const ended = (
  outcome: AttemptOutcome,
  error: string | null = null,
): Pick<Attempt, 'outcome' | 'status' | 'error'> => ({ outcome, status: 500, error });

it('says once that an endpoint fails, and once that it answers again', () => {
  const said: string[] = [];
  const report = (level: string) => (_about: object, message: string) =>
    void said.push(`${level} ${message}`);
  const health = new EndpointHealth({
    info: report('info'),
    warn: report('warn'),
    error: report('error'),
  });
  for (const outcome of [
    'succeeded',
    'failed',
    'unknown',
    'failed',
    'canceled',
    'succeeded',
    'succeeded',
  ] as const)
    health.note(of, ended(outcome));
  health.note({ ...of, endpointId: newId('endpoint') }, ended('failed', 'connection refused'));
  expect(said).toEqual([
    `warn webhooks to ${of.endpointId} fail: the answer was 500`,
    `info webhooks to ${of.endpointId} succeed again, after 2 failed attempts`,
    expect.stringMatching(/^warn webhooks to whk_\w+ fail: connection refused$/),
  ]);
});

it('forgets an endpoint that is there no more', () => {
  const said: string[] = [];
  const note = (_about: object, message: string) => void said.push(message);
  const health = new EndpointHealth({ info: note, warn: note, error: note });
  health.note(of, ended('failed'));
  health.forget(of.endpointId);
  health.note(of, ended('succeeded'));
  expect(said).toHaveLength(1);
});
