import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { InflightBodies } from './inflight-bodies.js';

/** The body that the server read, or the code of the error. */
type Read = string;

describe('InflightBodies', () => {
  let server: Server;
  let reads: Read[];
  const sockets: Socket[] = [];
  const rejected = { inc: jest.fn() };
  const start = async (limits: { maxBodyBytes: number; total?: number }): Promise<void> => {
    const bodies = new InflightBodies(
      { requestsRejected: rejected as never },
      limits.maxBodyBytes,
      limits.total,
    );
    reads = [];
    rejected.inc.mockClear();
    server = createServer((request, response) =>
      bodies.read(request, (error, body) => {
        reads.push(
          error === null ? String(body) : 'code' in error ? String(error.code) : error.message,
        );
        response.end();
      }),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  };
  const send = async (headers: string, body: string): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      .on('error', () => undefined)
      .resume();
    sockets.push(socket);
    await once(socket, 'connect');
    const begun = once(server, 'request');
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}`);
    await begun;
    return socket;
  };
  const declared = (bytes: number, body: string): Promise<Socket> =>
    send(`Content-Length: ${bytes}`, body);
  const inPieces = (body: string): Promise<Socket> =>
    send('Transfer-Encoding: chunked', [...body].map((piece) => `1\r\n${piece}\r\n`).join(''));
  const read = async (count: number): Promise<Read[]> => {
    while (reads.length < count) await new Promise((resolve) => setImmediate(resolve));
    return reads;
  };
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('reads a whole body, in one piece, in many, or empty', async () => {
    await start({ maxBodyBytes: 8 });
    await declared(8, 'in one p');
    await read(1);
    (await inPieces('by piece')).write('0\r\n\r\n');
    await read(2);
    await declared(0, '');
    expect(await read(3)).toEqual(['in one p', 'by piece', '']);
  });

  it('aborts a body that becomes too large, or whose client disconnects', async () => {
    await start({ maxBodyBytes: 4 });
    await inPieces('five!');
    expect(await read(1)).toEqual(['payload_too_large']);
    (await declared(4, 'abc')).destroy();
    expect(await read(2)).toEqual(['payload_too_large', 'ECONNRESET']);
    expect(rejected.inc).not.toHaveBeenCalled();
  });

  it('rejects the longest-running body when all bodies in flight exceed the limit, and continues with the rest', async () => {
    await start({ maxBodyBytes: 4_096, total: 8_192 });
    await declared(2, 'ok');
    await read(1);
    await declared(4_000, 'a'.repeat(3_000));
    const second = await declared(4_000, 'b'.repeat(3_000));
    await declared(3_000, 'c'.repeat(3_000));
    expect(await read(3)).toEqual(['ok', 'unavailable', 'c'.repeat(3_000)]);
    second.write('b'.repeat(1_000));
    expect((await read(4))[3]).toBe('b'.repeat(4_000));
    expect(rejected.inc.mock.calls).toEqual([[{ kind: 'write' }]]);
  });

  it('no longer counts finished bodies', async () => {
    await start({ maxBodyBytes: 4_096, total: 8_192 });
    for (let n = 0; n < 10; n++) {
      await declared(3_000, 'x'.repeat(3_000));
      await read(2 * n + 1);
      (await declared(3_000, 'x')).destroy();
      await read(2 * n + 2);
    }
    expect(new Set(reads)).toEqual(new Set(['x'.repeat(3_000), 'ECONNRESET']));
  });

  it('counts the memory of many small pieces, and nothing after a rejection', async () => {
    await start({ maxBodyBytes: 4_096, total: 8_192 });
    await inPieces('x'.repeat(100));
    expect(await read(1)).toEqual(['unavailable']);
    await declared(2, 'ok');
    expect(await read(2)).toEqual(['unavailable', 'ok']);
  });
});
