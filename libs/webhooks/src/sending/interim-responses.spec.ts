import { Readable } from 'node:stream';
import fc from 'fast-check';
import { count } from '@refledger/testing';
import { dropInterimResponses } from './interim-responses.js';

/** A socket on which a response begins, and what a reader gets of each chunk that arrives. */
const responding = () => {
  const socket = new Readable({ read: () => undefined });
  const interim = dropInterimResponses(socket);
  interim.startResponse();
  const arrives = (chunk: string | Buffer): string => {
    socket.push(chunk);
    return (socket.read() as Buffer | null)?.toString('latin1') ?? '';
  };
  return { socket, interim, arrives };
};

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const continues = 'HTTP/1.1 100 Continue\r\n\r\n';

it.each([
  ['a response', ok, ok],
  ['100', continues + ok, ok],
  ['100 without a reason', `HTTP/1.1 100\r\n\r\n${ok}`, ok],
  ['100 with headers', `HTTP/1.1 100 Continue\r\nDate: x\r\nServer: IIS\r\n\r\n${ok}`, ok],
  ['100 of HTTP/1.0', `HTTP/1.0 100 Continue\r\nConnection: close\r\n\r\n${ok}`, ok],
  ['100 with lines that end with LF', `HTTP/1.1 100 Continue\nServer: x\n\n${ok}`, ok],
  ['each 1xx', `${continues}HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${continues}${ok}`, ok],
  ['199', `HTTP/1.1 199 Why\r\n\r\n${ok}`, ok],
  ['not 101', `HTTP/1.1 101 X\r\n\r\n${ok}`, `HTTP/1.1 101 X\r\n\r\n${ok}`],
  ['nothing of a body', ok + continues, ok + continues],
  ['nothing that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['nothing of HTTP 100', 'HTTP/100 1xx', 'HTTP/100 1xx'],
])('a reader gets %s', (_, sent, got) => {
  expect(responding().arrives(sent)).toBe(got);
});

const head = fc
  .tuple(
    fc.constantFrom('100 Continue', '100', '102 Processing', '103 Early Hints'),
    fc.array(fc.constantFrom('Date: x', 'Link: </a>', 'X: HTTP/1.1 200 OK', 'Content-Length: 9')),
  )
  .map(([status, lines]) => [`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n'));
const final = fc.constantFrom(ok, 'HTTP/1.1 503 Busy\r\n\r\n', `${ok}${continues}`, 'nonsense');

it('drops the same bytes however they are split', () => {
  fc.assert(
    fc.property(
      fc.array(head, { maxLength: 5 }),
      final,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (heads, response, sizes) => {
        const { arrives } = responding();
        const sent = heads.join('') + response;
        let got = '';
        for (let at = 0, n = 0; at < sent.length; n++) {
          const end = at + (sizes[n % sizes.length] ?? 1);
          got += arrives(sent.slice(at, end));
          at = end;
        }
        expect(got).toBe(response);
      },
    ),
    { numRuns: count(200, 2_000) },
  );
});

it('drops them in chunks of one byte', () => {
  const { arrives } = responding();
  expect([...`${continues}${continues}${ok}`].map(arrives).join('')).toBe(ok);
});

it('holds no bytes back that cannot become an interim response', () => {
  const { arrives } = responding();
  expect(['H', 'T', 'X'].map(arrives)).toEqual(['', '', 'HTX']);
});

it('passes on what arrives before a request, and starts again with the next one', () => {
  const socket = new Readable({ read: () => undefined });
  const interim = dropInterimResponses(socket);
  const arrives = (chunk: string) => {
    socket.push(chunk);
    return (socket.read() as Buffer | null)?.toString() ?? null;
  };

  expect(arrives(continues)).toBe(continues);
  interim.startResponse();
  expect([arrives(continues), arrives(ok), arrives(continues)]).toEqual([null, ok, continues]);
  interim.startResponse();
  expect([arrives(continues), arrives(ok)]).toEqual([null, ok]);
});

it.each([
  ['one without end', `HTTP/1.1 100 ${'x'.repeat(1_011)}`, 'x'.repeat(1_024)],
  ['many', continues.repeat(40), continues.repeat(40)],
])('ends the connection after 64 KiB of interim responses: %s', async (_, first, next) => {
  const { socket, arrives } = responding();
  const failed = new Promise((resolve) => socket.on('error', resolve));

  let received = 0;
  for (let chunk = first; !socket.destroyed; chunk = next) {
    expect(arrives(chunk)).toBe('');
    received += chunk.length;
  }

  expect(await failed).toMatchObject({
    outcome: 'too_long',
    message: 'too many interim responses',
  });
  expect(received).toBeGreaterThan(65_536);
  expect(received).toBeLessThanOrEqual(65_536 + next.length);
});
