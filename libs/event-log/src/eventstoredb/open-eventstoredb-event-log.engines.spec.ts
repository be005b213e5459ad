import { EventStoreDBClient } from '@eventstore/db-client';
import type { DoubleServer } from '@refledger/testing/eventstoredb';
import { present } from '@refledger/testing/present';
import { certificates } from '@refledger/testing/servers';
import { open, refusal, startDouble } from '../../test/eventstoredb/logs.js';
import { eventsOf, newEvents, newStream } from '../conformance/under-test.js';

describe('opening', () => {
  it('gives a new log one id, whichever of many processes is first', async () => {
    const double = await startDouble();
    const all = await Promise.all(Array.from({ length: 8 }, () => open(double.url)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await eventsOf(present(all[0]).readStream('refledger.log'))).toHaveLength(1);
  });

  it('rejects a server that lacks the start of the log', async () => {
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
  ])('rejects the connection string %s without printing the password', async (url) => {
    const error = await refusal(url);
    expect(error.fault).toEqual({ kind: 'unusable' });
    expect(error.message).not.toContain('hunter2');
  });

  it('accepts KurrentDB’s own URL scheme', async () => {
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

  it('follow the connection string', async () => {
    const double = await startDouble({ tls: certificates.server, login });
    const log = await open(secure(double, 'admin:change%20me@', certificates.authority));
    expect((await log.append(newStream(), newEvents(1), 'no stream')).revision).toBe(0);
  });

  it.each([
    [
      'a wrong password',
      'admin:hunter2@',
      certificates.authority,
      /rejects the user or password in EVENT_LOG_URL/,
    ],
    ['no user', '', certificates.authority, /rejects the user or password in EVENT_LOG_URL/],
    [
      'an authority that did not sign the certificate',
      'admin:hunter2@',
      certificates.otherAuthority,
      /TLS connection to EventStoreDB .* failed/,
    ],
    ['no authority', 'admin:hunter2@', undefined, /TLS connection to EventStoreDB .* failed/],
  ])(
    'that are wrong (%s) make opening fail with an error that names the cause',
    async (_name, user, authority, words) => {
      const double = await startDouble({ tls: certificates.server, login });
      const error = await refusal(secure(double, user, authority));
      expect(error.fault).toEqual({ kind: 'unusable' });
      expect(error.message).toMatch(words);
      expect(error.message).not.toContain('hunter2');
    },
  );

  it('make opening fail with an error about TLS if the server has none', async () => {
    const double = await startDouble();
    expect(await refusal(`esdb://${double.address}?tls=true`)).toMatchObject({
      fault: { kind: 'unusable' },
      message: expect.stringContaining('Check its certificate') as string,
    });
  });
});
