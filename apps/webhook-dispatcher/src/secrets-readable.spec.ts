import { randomBytes } from 'node:crypto';
import { EventLogError, type EventLog, type EventLogErrorCause } from '@refledger/event-log';
import { newLogger, type PartHealth } from '@refledger/platform';
import { openSecretBox } from '@refledger/sealing';
import { secretsReadable } from './secrets-readable.js';

/** Test double: a log without endpoints, whose first reads fail. */
const logThatFails = (...faults: EventLogErrorCause[]): Pick<EventLog, 'readAll'> => ({
  async *readAll() {
    await Promise.resolve();
    const fault = faults.shift();
    if (fault !== undefined) throw new EventLogError(fault, 'injected by the test');
    yield* [];
  },
});

describe('the check that the secrets can be read', () => {
  const reported: PartHealth[] = [];
  const poll = (
    log: Pick<EventLog, 'readAll'>,
    signal = new AbortController().signal,
    onReport: () => void = () => undefined,
  ) =>
    secretsReadable({
      log,
      box: openSecretBox([randomBytes(32)]),
      logger: newLogger('silent', 'test'),
      signal,
      report: (health) => {
        reported.push(health);
        onReport();
      },
    });
  beforeEach(() => (reported.length = 0));

  it('waits for an unavailable log, and until then the part is not ready', async () => {
    expect(await poll(logThatFails({ kind: 'unavailable' }, { kind: 'unavailable' }))).toBe(true);
    expect(reported.map(({ ready }) => ready)).toEqual([false, false]);
  });

  it('ends at shutdown', async () => {
    const ending = new AbortController();
    expect(
      await poll(
        logThatFails({ kind: 'unavailable' }, { kind: 'unavailable' }),
        ending.signal,
        () => ending.abort(),
      ),
    ).toBe(false);
  });

  it('fails if waiting does not help', () =>
    expect(poll(logThatFails({ kind: 'unusable' }))).rejects.toThrow('injected by the test'));
});
