import { logFormat } from '@refledger/contracts';
import { logIdOf, opening } from './opening.js';

const opened = opening({
  logId: 'log-1',
  eventId: '00000000-0000-4000-8000-000000000001',
  recordedAt: '2026-01-01T00:00:00.000Z',
}).events[0];

it('reads the id that it wrote', () => {
  expect(logIdOf({ type: 'log.opened', data: JSON.parse(String(opened?.data)) }, 'here')).toBe(
    'log-1',
  );
});

it.each([undefined, null, {}, { log_id: 7 }])('refuses a first event of %j', (data) => {
  expect(() => logIdOf({ type: 'log.opened', data }, 'here')).toThrow(
    'here: refledger.log is not the stream of a Refledger event log',
  );
});

it('rejects another first event', () => {
  const data = { log_id: 'log-1', format: logFormat };
  expect(() => logIdOf({ type: 'thing.happened', data }, 'here')).toThrow('is not the stream');
});

it.each([
  ['that does not name its format', {}, 1],
  ['without key store', { format: 2 }, 2],
  ['of a later format', { format: logFormat + 1 }, logFormat + 1],
])('rejects a log %s, and says what to do', (_what, format, named) => {
  expect(() =>
    logIdOf({ type: 'log.opened', data: { log_id: 'log-1', ...format } }, 'here'),
  ).toThrow(
    `here: this event log has format ${named}, but this version reads format ${logFormat}. Use the version that created it, or start with an empty log and empty stores.`,
  );
});
