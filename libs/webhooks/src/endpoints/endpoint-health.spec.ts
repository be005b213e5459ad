import { newId } from '@refledger/contracts';
import type { Attempt, AttemptOutcome } from '../stores/delivery.js';
import { EndpointHealth } from './endpoint-health.js';

const of = { endpointId: newId('endpoint'), accountId: newId('account') };
const ended = (
  outcome: AttemptOutcome,
  error: string | null = null,
): Pick<Attempt, 'outcome' | 'status' | 'error'> => ({ outcome, status: 500, error });

it('logs once that an endpoint fails, and once that it recovers', () => {
  const reported: string[] = [];
  const report = (level: string) => (_about: object, message: string) =>
    void reported.push(`${level} ${message}`);
  const health = new EndpointHealth({
    info: report('info'),
    warn: report('warn'),
    error: report('error'),
  });
  for (const outcome of [
    'succeeded',
    'bad_status',
    'unknown',
    'redirect',
    'unknown',
    'succeeded',
    'succeeded',
  ] as const)
    health.note(of, ended(outcome));
  health.note({ ...of, endpointId: newId('endpoint') }, ended('connection', 'connection refused'));
  expect(reported).toEqual([
    `warn webhooks to ${of.endpointId} are failing: the response was 500`,
    `info webhooks to ${of.endpointId} are succeeding again, after 2 failed attempts`,
    expect.stringMatching(/^warn webhooks to whk_\w+ are failing: connection refused$/),
  ]);
});

it('forgets a removed endpoint', () => {
  const reported: string[] = [];
  const note = (_about: object, message: string) => void reported.push(message);
  const health = new EndpointHealth({ info: note, warn: note, error: note });
  health.note(of, ended('timeout'));
  health.forget(of.endpointId);
  health.note(of, ended('succeeded'));
  expect(reported).toHaveLength(1);
});
