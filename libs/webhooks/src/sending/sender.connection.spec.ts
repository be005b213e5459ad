import { createServer, type TlsOptions } from 'node:tls';
import { waitFor } from '@refledger/testing';
import { certificate } from '../../test/certificate.js';
import { receiver } from '../../test/hostile-receivers.js';
import { ended, names, ok, receives, request, sender } from '../../test/sender-harness.js';

describe('an unreachable target', () => {
  it('refuses the connection', async () => {
    const gone = await receiver(() => undefined);
    await gone.close();

    expect(await sender().send({ ...request, url: gone.url })).toMatchObject({
      kind: 'failed',
      outcome: 'connection',
      error: 'connection refused',
      address: null,
    });
  });

  it.each([
    ['ENOTFOUND', 'name not found'],
    ['EAI_AGAIN', 'name lookup failed'],
  ])('has a name whose lookup fails with %s', async (code, error) => {
    const lookup = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code }));

    expect(
      await sender({ lookup }).send({ ...request, url: 'http://receiver.example/' }),
    ).toMatchObject({ kind: 'failed', outcome: 'dns', error });
  });

  it('has a name without addresses', async () => {
    expect(
      await sender({ lookup: names() }).send({ ...request, url: 'http://receiver.example/' }),
    ).toMatchObject({ outcome: 'dns', error: 'name not found' });
  });

  it('has a name whose lookup never ends', async () => {
    const sending = sender({ lookup: () => new Promise(() => undefined) });

    expect(
      await sending.send({ ...request, url: 'http://receiver.example/', timeoutMs: 100 }),
    ).toMatchObject({ outcome: 'timeout', error: 'timed out after 0.1 s' });
  });

  it('has a name whose lookup exceeds the connection timeout', async () => {
    const sending = sender({ lookup: () => new Promise(() => undefined), connectTimeoutMs: 100 });

    expect(await sending.send({ ...request, url: 'http://receiver.example/' })).toMatchObject({
      outcome: 'timeout',
      error: 'connection timed out',
    });
  });
});

describe('a request that has timed out', () => {
  it('is not sent when its connection succeeds later', async () => {
    const received = jest.fn();
    const there = await receives(received);
    const lookups: (() => void)[] = [];
    const lookup = () =>
      new Promise<{ address: string; family: number }[]>((resolve) =>
        lookups.push(() => resolve([{ address: '127.0.0.1', family: 4 }])),
      );

    const result = await sender({ lookup }).send({
      ...request,
      url: `http://receiver.example:${there.port}/`,
      timeoutMs: 50,
    });
    lookups.forEach((lookup) => lookup());
    await waitFor(() => there.sockets.length === 1);
    await ended(there);

    expect(result).toMatchObject({ error: 'timed out after 0.05 s' });
    expect(received).not.toHaveBeenCalled();
  });
});

describe('the guard', () => {
  it.each([
    ['http://10.0.0.1/', 'address 10.0.0.1 is not allowed (private)'],
    ['http://0xa.1/', 'address 10.0.0.1 is not allowed (private)'],
    ['http://[fc00::1]/', 'address fc00::1 is not allowed (unique-local)'],
    ['ftp://example.com/', 'only http and https are allowed'],
    ['nonsense', 'not an absolute URL'],
  ])('refuses %s', async (url, error) => {
    expect(await sender().send({ ...request, url })).toEqual({
      kind: 'failed',
      outcome: 'target_not_allowed',
      error,
      durationMs: 0,
      address: null,
      response: null,
    });
  });

  it('rejects a name if one of its addresses is not allowed', async () => {
    const there = await receives((socket) => socket.write(ok));
    const sending = sender({ lookup: names('127.0.0.1', '10.0.0.1') });

    expect(
      await sending.send({ ...request, url: `http://receiver.example:${there.port}/` }),
    ).toMatchObject({
      kind: 'failed',
      outcome: 'target_not_allowed',
      error: 'address 10.0.0.1 is not allowed (private)',
      address: null,
    });
    expect(there.sockets).toHaveLength(0);
  });

  it('connects to the address that it checked, so a name that changes later is looked up once', async () => {
    const there = await receives((socket) => socket.write(ok));
    const lookup = names('10.0.0.1').mockReturnValueOnce(
      Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    );
    const sending = sender({ lookup, connectionsPerOrigin: 1 });
    const url = `http://receiver.example:${there.port}/`;

    expect(await sending.send({ ...request, url })).toMatchObject({
      kind: 'answered',
      status: 200,
    });
    expect(await sending.send({ ...request, url })).toMatchObject({
      kind: 'answered',
      status: 200,
    });
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(there.sockets).toHaveLength(1);
  });

  it('checks again with every new connection', async () => {
    const there = await receives((socket) =>
      socket.end(ok.replace('\r\n', '\r\nConnection: close\r\n')),
    );
    const lookup = names('10.0.0.1').mockReturnValueOnce(
      Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    );
    const sending = sender({ lookup });
    const url = `http://receiver.example:${there.port}/`;

    expect(await sending.send({ ...request, url })).toMatchObject({ status: 200 });
    expect(await sending.send({ ...request, url })).toMatchObject({
      error: 'address 10.0.0.1 is not allowed (private)',
    });
  });

  it('tries the other checked addresses of a name', async () => {
    const there = await receives((socket) => socket.write(ok));

    expect(
      await sender({ lookup: names('::1', '127.0.0.1') }).send({
        ...request,
        url: `http://receiver.example:${there.port}/`,
      }),
    ).toMatchObject({ status: 200, address: '127.0.0.1' });
  });

  it('rejects loopback under any name unless it is allowed', async () => {
    const there = await receives((socket) => socket.write(ok));
    const sending = sender({ mode: 'false', lookup: names('127.0.0.1') });

    for (const host of ['127.0.0.1', 'localhost', 'a.localhost', 'receiver.example']) {
      expect(
        await sending.send({ ...request, url: `http://${host}:${there.port}/` }),
      ).toMatchObject({
        kind: 'failed',
        outcome: 'target_not_allowed',
        error: expect.stringContaining('not allowed (loopback)') as string,
      });
    }
    expect(there.sockets).toHaveLength(0);
  });
});

describe('TLS', () => {
  const secure = async (options: TlsOptions = {}): Promise<number> => {
    const server = createServer({ ...certificate, ...options }).on(
      'tlsClientError',
      () => undefined,
    );
    return (
      await receives(
        (socket) => socket.end(ok.replace('\r\n', '\r\nConnection: close\r\n')),
        server,
      )
    ).port;
  };

  it('reaches a receiver whose certificate is trusted, by name and by address', async () => {
    const port = await secure();
    const sending = sender({ ca: certificate.cert, lookup: names('127.0.0.1') });

    expect(
      await sending.send({ ...request, url: `https://receiver.example:${port}/` }),
    ).toMatchObject({ kind: 'answered', status: 200 });
    expect(await sending.send({ ...request, url: `https://127.0.0.1:${port}/` })).toMatchObject({
      kind: 'answered',
      status: 200,
    });
  });

  it('rejects an untrusted certificate', async () => {
    const port = await secure();

    expect(await sender().send({ ...request, url: `https://127.0.0.1:${port}/` })).toMatchObject({
      kind: 'failed',
      outcome: 'tls',
      address: '127.0.0.1',
      error: 'the certificate is not trusted (depth zero self signed cert)',
    });
  });

  // A resumed TLS session skips the check of the host name, so no session of a failed connection
  // may be kept.
  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'rejects a certificate for another name, even the second time (%s)',
    async (version) => {
      const port = await secure({ minVersion: version, maxVersion: version });
      const sending = sender({ ca: certificate.cert, lookup: names('127.0.0.1') });

      for (let i = 0; i < 3; i++) {
        expect(
          await sending.send({ ...request, url: `https://other.example:${port}/` }),
        ).toMatchObject({
          kind: 'failed',
          outcome: 'tls',
          error: 'the certificate is for another name',
          address: '127.0.0.1',
        });
      }
    },
  );

  it('rejects a receiver without TLS', async () => {
    const there = await receives((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));

    expect(
      await sender().send({ ...request, url: there.url.replace('http:', 'https:') }),
    ).toMatchObject({
      kind: 'failed',
      outcome: 'tls',
      error: 'TLS handshake failed',
      address: '127.0.0.1',
    });
  });

  it('shows the address that it had connected to when TLS hangs', async () => {
    const giveUp = new AbortController();
    // the beginning of a handshake, which gets no response
    const there = await receives(() => giveUp.abort());

    expect(
      await sender().send({
        ...request,
        url: there.url.replace('http:', 'https:'),
        signal: giveUp.signal,
      }),
    ).toMatchObject({ kind: 'failed', outcome: 'unknown', address: '127.0.0.1' });
  });
});
