import { randomBytes } from 'node:crypto';
import { EventLogError, type EventLog, type EventLogErrorCause } from '@refledger/event-log';
import { newLogger, type PartHealth } from '@refledger/platform';
import { openSecretBox } from '@refledger/webhooks';
import { secretsReadable } from './secrets-readable.js';

/** Test double: a log without endpoints, whose first reads fail. */
const logThatFails = (...faults: EventLogErrorCause[]): Pick<EventLog, 'readAll'> => ({
  // eslint-disable-next-line require-yield -- there are none
  async *readAll() {
    await Promise.resolve();
    const fault = faults.shift();
    if (fault !== undefined) throw new EventLogError(fault, 'as the test wants it');
  },
});

describe('whether the secrets can be read', () => {
  const said: PartHealth[] = [];
  const look = (
    log: Pick<EventLog, 'readAll'>,
    signal = new AbortController().signal,
    onSaid: () => void = () => undefined,
  ) =>
    secretsReadable({
      log,
      box: openSecretBox([randomBytes(32)]),
      logger: newLogger('silent', 'test'),
      signal,
      report: (health) => {
        said.push(health);
        onSaid();
      },
    });
  beforeEach(() => (said.length = 0));

  it('is found out once a log that is away is there again; until then the part is not ready', async () => {
    expect(await look(logThatFails({ kind: 'unavailable' }, { kind: 'unavailable' }))).toBe(true);
    expect(said.map(({ ready }) => ready)).toEqual([false, false]);
  });

  it('is not waited for at the end', async () => {
    const ending = new AbortController();
    expect(
      await look(
        logThatFails({ kind: 'unavailable' }, { kind: 'unavailable' }),
        ending.signal,
        () => ending.abort(),
      ),
    ).toBe(false);
  });

  it('is a failure where waiting does not mend it', () =>
    expect(look(logThatFails({ kind: 'unusable' }))).rejects.toThrow('as the test wants it'));
});
