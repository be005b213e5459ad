import { EventStoreDBClient } from '@eventstore/db-client';
import type { DoubleServer } from '@refledger/testing/eventstoredb';
import { certificates } from '@refledger/testing/servers';
import { open, refusal, startDouble } from '../../test/eventstoredb/logs.js';
import { eventsOf, newEvents, newStream } from '../conformance/under-test.js';

describe('opening', () => {
  it('gives a new log one id, whoever is first of many', async () => {
    const double = await startDouble();
    const all = await Promise.all(Array.from({ length: 8 }, () => open(double.url)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await eventsOf(all[0]!.readStream('refledger.log'))).toHaveLength(1);
  });

  it('refuses a server on which the beginning of the log is gone', async () => {
    const double = await startDouble();
    await open(double.url);
    await EventStoreDBClient.connectionString(double.url).deleteStream('refledger.log');
    expect(await refusal(double.url)).toMatchObject({
      fault: { kind: 'unusable' },
      message: expect.stringMatching(/revision 0|first event/) as string,
    });
  });

  it.each([
    'nonsense',
    'esdb://',
    'http://127.0.0.1:2113',
    'esdb://admin:hunter2@host:port',
    'esdb://admin:hunter2@host:2113?tlsCAFile=/not/there.pem',
  ])('refuses the connection string %s, and prints no password', async (url) => {
    const error = await refusal(url);
    expect(error.fault).toEqual({ kind: 'unusable' });
    expect(error.message).not.toContain('hunter2');
  });

  it('knows KurrentDB by its own scheme', async () => {
    const double = await startDouble();
    expect((await open(double.url.replace('esdb://', 'kurrentdb://'))).id).toBe(
      (await open(double.url)).id,
    );
  });
});

describe('TLS and users', () => {
  const login = 'admin:change me';
  const secure = (double: DoubleServer, user: string, authority: string | undefined): string =>
    `esdb://${user}${double.address}?tls=true${authority === undefined ? '' : `&tlsCAFile=${encodeURIComponent(authority)}`}`;

  it('are as the connection string says', async () => {
    const double = await startDouble({ tls: certificates.server, login });
    const log = await open(secure(double, 'admin:change%20me@', certificates.authority));
    expect((await log.append(newStream(), newEvents(1), 'no stream')).revision).toBe(0);
  });

  it.each([
    [
      'a wrong password',
      'admin:hunter2@',
      certificates.authority,
      /refuses the user or the password in EVENT_LOG_URL/,
    ],
    ['no user', '', certificates.authority, /refuses the user or the password in EVENT_LOG_URL/],
    [
      'an authority that did not sign the certificate',
      'admin:hunter2@',
      certificates.otherAuthority,
      /can't be trusted/,
    ],
    ['no authority', 'admin:hunter2@', undefined, /can't be trusted/],
  ])('with %s end the start with an error that says so', async (_name, user, authority, words) => {
    const double = await startDouble({ tls: certificates.server, login });
    const error = await refusal(secure(double, user, authority));
    expect(error.fault).toEqual({ kind: 'unusable' });
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain('hunter2');
  });

  it('are told from a server without TLS', async () => {
    const double = await startDouble();
    expect(await refusal(`esdb://${double.address}?tls=true`)).toMatchObject({
      fault: { kind: 'unusable' },
      message: expect.stringContaining('TLS is not what EVENT_LOG_URL says') as string,
    });
  });
});
