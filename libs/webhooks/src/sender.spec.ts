import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { certificate } from '../test/certificate.js';
import { keepWriting, receiver, type Receiver } from '../test/hostile-receivers.js';
import { openSender, type Sender, type SenderOptions } from './sender.js';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const open of closing.splice(0)) await open.close();
});

const sender = (options: Partial<SenderOptions> = {}): Sender => opened(openSender({ mode: 'loopback', ...options }));
const receives = async (answer: (socket: Socket) => void): Promise<Receiver> => opened(await receiver(answer));
const request = { headers: { 'Content-Type': 'application/json', 'X-Service-Event': 'conversion.created' }, body: '{"name":"Zoë 🎉"}', timeoutMs: 5_000 };
const names = (...addresses: string[]) => jest.fn(() => Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))));

describe('a well-behaved receiver', () => {
  it('gets one POST with the headers and exactly the bytes', async () => {
    const seen: { method?: string; url?: string; headers: IncomingMessage['headers']; body: string; version: string }[] = [];
    const port = await http((incoming, answer) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {
        seen.push({ method: incoming.method, url: incoming.url, headers: incoming.headers, body: Buffer.concat(chunks).toString('hex'), version: incoming.httpVersion });
        answer.writeHead(202).end('thanks');
      });
    });

    const result = await sender().send({ ...request, url: `http://127.0.0.1:${port}/hook?a=1&b=%20#part` });

    expect(result).toEqual({ kind: 'answered', status: 202, durationMs: expect.any(Number) as number });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/hook?a=1&b=%20',
        version: '1.1',
        body: Buffer.from(request.body).toString('hex'),
        headers: { host: `127.0.0.1:${port}`, connection: 'keep-alive', 'content-type': 'application/json', 'x-service-event': 'conversion.created', 'content-length': '20' },
      },
    ]);
  });

  it('gets later requests on the same connections', async () => {
    const there = await receives((socket) => socket.write(ok));
    const sending = sender();

    for (let i = 0; i < 20; i++) expect(await sending.send({ ...request, url: there.url })).toMatchObject({ status: 200 });

    // A request that follows within the same turn of the event loop finds the first one not free yet.
    expect(there.sockets.length).toBeLessThanOrEqual(2);
  });

  it('gets no more connections than allowed', async () => {
    const there = await receives((socket) => socket.write(ok));
    const sending = sender({ connectionsPerOrigin: 3 });

    const results = await Promise.all(Array.from({ length: 20 }, () => sending.send({ ...request, url: there.url })));

    expect(results.map((result) => result.kind === 'answered' && result.status)).toEqual(Array(20).fill(200));
    expect(there.sockets.length).toBeLessThanOrEqual(3);
  });

  it.each([
    [503, '120', 120_000],
    [429, 'Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    [500, '120', undefined],
    [503, 'soon', undefined],
  ])('%i with Retry-After %s', async (status, header, retryAfterMs) => {
    const there = await receives((socket) => socket.write(`HTTP/1.1 ${status} X\r\nRetry-After: ${header}\r\nContent-Length: 0\r\n\r\n`));

    const result = await sender({ now: () => Date.parse('2026-01-01T00:00:00Z') }).send({ ...request, url: there.url });

    expect(result).toEqual({ kind: 'answered', status, ...(retryAfterMs !== undefined && { retryAfterMs }), durationMs: expect.any(Number) as number });
  });

  it('may say 103 before its answer', async () => {
    const there = await receives((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`));

    expect(await sender().send({ ...request, url: there.url })).toMatchObject({ kind: 'answered', status: 204 });
  });
});

describe('a hostile receiver', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['never answers', () => undefined],
    ['drips headers', (socket) => { socket.write('HTTP/1.1 200 OK\r\n'); keepWriting(socket, 'X-Drip: 1\r\n', 10); }],
    ['drips a body', (socket) => { socket.write('HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n'); keepWriting(socket, 'x', 10); }],
    ['drips early hints', (socket) => keepWriting(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 10)],
    ['leaves its body open', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n')],
  ])('that %s is cut off at the deadline', async (_, answer) => {
    const there = await receives(answer);

    expect(await sender().send({ ...request, url: there.url, timeoutMs: 200 })).toMatchObject({ kind: 'failed', error: 'timed out after 0.2 s' });
    await ended(there);
  });

  it.each(['HTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n'])('that sends without end is cut off after 64 KiB, and its status stands', async (head) => {
    const there = await receives((socket) => {
      socket.write(head);
      keepWriting(socket, 'x'.repeat(16_384));
    });

    expect(await sender().send({ ...request, url: there.url })).toMatchObject({ kind: 'answered', status: 200 });
    await ended(there);
  });

  it('may send 64 KiB and keeps its connection', async () => {
    const there = await receives((socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n${'x'.repeat(65_536)}`));
    const sending = sender({ connectionsPerOrigin: 1 });

    await sending.send({ ...request, url: there.url });
    await sending.send({ ...request, url: there.url });

    expect(there.sockets).toHaveLength(1);
  });

  it.each<[string, string, (socket: Socket) => void]>([
    ['sends huge headers', 'the headers of the answer are too large', (socket) => { socket.write('HTTP/1.1 200 OK\r\n'); keepWriting(socket, `X-Big: ${'x'.repeat(1000)}\r\n`); }],
    ['resets', 'connection reset', (socket) => socket.resetAndDestroy()],
    ['closes without an answer', 'connection closed before the answer ended', (socket) => socket.end()],
    ['closes within its body', 'connection closed before the answer ended', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc')],
    ['speaks no HTTP', 'the answer is not valid HTTP', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')],
    ['sends two lengths', 'the answer is not valid HTTP', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab')],
  ])('that %s: %s', async (_, error, answer) => {
    const there = await receives(answer);

    expect(await sender().send({ ...request, url: there.url })).toMatchObject({ kind: 'failed', error });
  });

  it('that redirects is not followed', async () => {
    const inside = await receives((socket) => socket.write(ok));
    const there = await receives((socket) => socket.write(`HTTP/1.1 302 Found\r\nLocation: ${inside.url}\r\nContent-Length: 0\r\n\r\n`));

    expect(await sender().send({ ...request, url: there.url })).toMatchObject({ kind: 'answered', status: 302 });
    expect(inside.sockets).toHaveLength(0);
  });

  it('delays no other', async () => {
    const dead = await receives(() => undefined);
    const there = await receives((socket) => socket.write(ok));
    const sending = sender();
    const waiting = Array.from({ length: 50 }, () => sending.send({ ...request, url: dead.url, timeoutMs: 1_000 }));

    const winner = await Promise.race([sending.send({ ...request, url: there.url }), ...waiting]);

    expect(winner).toMatchObject({ kind: 'answered', status: 200 });
    await Promise.all(waiting);
  });
});

describe('a target that is not there', () => {
  it('refuses the connection', async () => {
    const gone = await receiver(() => undefined);
    await gone.close();

    expect(await sender().send({ ...request, url: gone.url })).toMatchObject({ kind: 'failed', error: 'connection refused' });
  });

  it.each([
    ['ENOTFOUND', 'name not found'],
    ['EAI_AGAIN', 'name lookup failed'],
  ])('has a name that answers %s', async (code, error) => {
    const lookup = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code }));

    expect(await sender({ lookup }).send({ ...request, url: 'http://receiver.example/' })).toMatchObject({ kind: 'failed', error });
  });

  it('has a name without addresses', async () => {
    expect(await sender({ lookup: names() }).send({ ...request, url: 'http://receiver.example/' })).toMatchObject({ error: 'name not found' });
  });

  it('has a name that is never answered', async () => {
    const sending = sender({ lookup: () => new Promise(() => undefined) });

    expect(await sending.send({ ...request, url: 'http://receiver.example/', timeoutMs: 100 })).toMatchObject({ error: 'timed out after 0.1 s' });
  });

  it('has a name that is not answered within the time for a connection', async () => {
    const sending = sender({ lookup: () => new Promise(() => undefined), connectTimeoutMs: 100 });

    expect(await sending.send({ ...request, url: 'http://receiver.example/' })).toMatchObject({ error: 'no connection in time' });
  });
});

describe('a request that has run out of time', () => {
  it('is not sent when its connection is made after all', async () => {
    const received = jest.fn();
    const there = await receives(received);
    const answers: (() => void)[] = [];
    const lookup = () => new Promise<{ address: string; family: number }[]>((resolve) => answers.push(() => resolve([{ address: '127.0.0.1', family: 4 }])));

    const result = await sender({ lookup }).send({ ...request, url: `http://receiver.example:${there.port}/`, timeoutMs: 50 });
    answers.forEach((answer) => answer());
    await until(() => there.sockets.length === 1);
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
    expect(await sender().send({ ...request, url })).toEqual({ kind: 'failed', error, durationMs: 0 });
  });

  it('refuses a name when one of its addresses is bad', async () => {
    const there = await receives((socket) => socket.write(ok));
    const sending = sender({ lookup: names('127.0.0.1', '10.0.0.1') });

    expect(await sending.send({ ...request, url: `http://receiver.example:${there.port}/` })).toMatchObject({ kind: 'failed', error: 'address 10.0.0.1 is not allowed (private)' });
    expect(there.sockets).toHaveLength(0);
  });

  it('connects to the address that it checked: a name that answers otherwise later is asked once', async () => {
    const there = await receives((socket) => socket.write(ok));
    const lookup = names('10.0.0.1').mockReturnValueOnce(Promise.resolve([{ address: '127.0.0.1', family: 4 }]));
    const sending = sender({ lookup, connectionsPerOrigin: 1 });
    const url = `http://receiver.example:${there.port}/`;

    expect(await sending.send({ ...request, url })).toMatchObject({ kind: 'answered', status: 200 });
    expect(await sending.send({ ...request, url })).toMatchObject({ kind: 'answered', status: 200 });
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(there.sockets).toHaveLength(1);
  });

  it('checks again with every new connection', async () => {
    const there = await receives((socket) => socket.end(ok.replace('\r\n', '\r\nConnection: close\r\n')));
    const lookup = names('10.0.0.1').mockReturnValueOnce(Promise.resolve([{ address: '127.0.0.1', family: 4 }]));
    const sending = sender({ lookup });
    const url = `http://receiver.example:${there.port}/`;

    expect(await sending.send({ ...request, url })).toMatchObject({ status: 200 });
    expect(await sending.send({ ...request, url })).toMatchObject({ error: 'address 10.0.0.1 is not allowed (private)' });
  });

  it('tries the other checked addresses of a name', async () => {
    const there = await receives((socket) => socket.write(ok));

    expect(await sender({ lookup: names('::1', '127.0.0.1') }).send({ ...request, url: `http://receiver.example:${there.port}/` })).toMatchObject({ status: 200 });
  });

  it('refuses loopback by any name when it is not allowed', async () => {
    const there = await receives((socket) => socket.write(ok));
    const sending = sender({ mode: 'false', lookup: names('127.0.0.1') });

    for (const host of ['127.0.0.1', 'localhost', 'a.localhost', 'receiver.example']) {
      expect(await sending.send({ ...request, url: `http://${host}:${there.port}/` })).toMatchObject({ kind: 'failed', error: expect.stringContaining('not allowed (loopback)') as string });
    }
    expect(there.sockets).toHaveLength(0);
  });
});

describe('TLS', () => {
  const secure = async (options: TlsOptions = {}): Promise<number> => {
    const server = createTlsServer({ ...certificate, ...options }).on('tlsClientError', () => undefined);
    return opened(await receiver((socket) => socket.end(ok.replace('\r\n', '\r\nConnection: close\r\n')), server)).port;
  };

  it('reaches a receiver whose certificate is trusted, by name and by address', async () => {
    const port = await secure();
    const sending = sender({ ca: certificate.cert, lookup: names('127.0.0.1') });

    expect(await sending.send({ ...request, url: `https://receiver.example:${port}/` })).toMatchObject({ kind: 'answered', status: 200 });
    expect(await sending.send({ ...request, url: `https://127.0.0.1:${port}/` })).toMatchObject({ kind: 'answered', status: 200 });
  });

  it('refuses a certificate that nobody vouches for', async () => {
    const port = await secure();

    expect(await sender().send({ ...request, url: `https://127.0.0.1:${port}/` })).toMatchObject({ kind: 'failed', error: 'the certificate is not trusted (depth zero self signed cert)' });
  });

  // A resumed session skips the check of the name: none may be kept of a connection that failed.
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('refuses a certificate for another name, the second time too (%s)', async (version) => {
    const port = await secure({ minVersion: version, maxVersion: version });
    const sending = sender({ ca: certificate.cert, lookup: names('127.0.0.1') });

    for (let i = 0; i < 3; i++) {
      expect(await sending.send({ ...request, url: `https://other.example:${port}/` })).toMatchObject({ kind: 'failed', error: 'the certificate is for another name' });
    }
  });

  it('refuses a receiver that speaks none', async () => {
    const there = await receives((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));

    expect(await sender().send({ ...request, url: there.url.replace('http:', 'https:') })).toMatchObject({ kind: 'failed', error: 'TLS handshake failed' });
  });
});

describe('the caller', () => {
  it('can cancel, before and while sending', async () => {
    const there = await receives(() => controller.abort());
    const controller = new AbortController();
    const sending = sender();

    expect(await sending.send({ ...request, url: there.url, signal: controller.signal })).toMatchObject({ kind: 'failed', error: 'cancelled' });
    expect(await sending.send({ ...request, url: there.url, signal: controller.signal })).toEqual({ kind: 'failed', error: 'cancelled', durationMs: 0 });
    expect(there.sockets).toHaveLength(1);
    await ended(there);
  });

  it('reads nothing of the request in an error', async () => {
    const there = await receives((socket) => socket.write(ok));

    expect(await sender().send({ ...request, url: there.url, headers: { 'X-Secret': 'whsec_\n' } })).toMatchObject({ kind: 'failed', error: 'the request is not valid HTTP' });
  });

  it('gets an answer to what is under way when it closes, and connections end', async () => {
    const answering: Socket[] = [];
    const there = await receives((socket) => answering.push(socket));
    const sending = openSender({ mode: 'loopback' });
    const underway = sending.send({ ...request, url: there.url });
    await until(() => answering.length === 1);

    const closed = sending.close();
    expect(await sending.send({ ...request, url: there.url })).toMatchObject({ kind: 'failed', error: 'the sender is closed' });
    answering[0]?.write(ok);

    expect(await underway).toMatchObject({ kind: 'answered', status: 200 });
    await closed;
    await ended(there);
  });
});

function opened<T extends { close(): Promise<void> }>(it: T): T {
  closing.unshift(it);
  return it;
}

async function http(handle: (incoming: IncomingMessage, answer: ServerResponse) => void): Promise<number> {
  return opened(await receiver(() => undefined, createHttpServer(handle))).port;
}

/** The sender has let go of every connection. */
async function ended(there: Receiver): Promise<void> {
  await Promise.all(there.sockets.map((socket) => new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))));
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition did not come true within 5 s');
    await new Promise(setImmediate);
  }
}
