import { createServer } from 'node:tls';
import { certificate } from '../../test/certificate.js';
import { ok, receives, request, sender } from '../../test/sender-harness.js';

describe('a receiver may send 100 Continue before its response', () => {
  const continues = 'HTTP/1.1 100 Continue\r\n\r\n';

  it.each<[string, readonly string[]]>([
    ['in the same chunk', [continues + ok]],
    ['byte by byte', [...`${continues}${continues}${ok}`]],
    ['with headers', ['HTTP/1.1 100 Continue\r\nServer: IIS\r\nConnection: close\r\n\r\n', ok]],
    ['many times', Array<string>(50).fill(continues).concat(ok)],
    ['after early hints', ['HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', continues, ok]],
    ['before any other response', [continues, 'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n']],
  ])('%s, each time on the same connection', async (_, chunks) => {
    const there = await receives((socket) => {
      socket.setNoDelay();
      const [chunk, ...rest] = chunks;
      const writeOn = (chunk: string | undefined, rest: readonly string[]): void => {
        if (chunk !== undefined)
          socket.write(chunk, () => setImmediate(writeOn, rest[0], rest.slice(1)));
      };
      writeOn(chunk, rest);
    });
    const sending = sender({ connectionsPerOrigin: 1 });

    for (let i = 0; i < 3; i++)
      expect(await sending.send({ ...request, url: there.url })).toMatchObject({
        kind: 'answered',
        status: chunks.at(-1)?.includes('503') ? 503 : 200,
      });
    expect(there.sockets).toHaveLength(1);
  });

  it('over TLS', async () => {
    const there = await receives(
      (socket) => socket.write(continues, () => socket.write(ok)),
      createServer(certificate),
    );
    const sending = sender({ connectionsPerOrigin: 1, ca: certificate.cert });
    const url = there.url.replace('http:', 'https:');

    for (let i = 0; i < 2; i++)
      expect(await sending.send({ ...request, url })).toMatchObject({ status: 200 });
    expect(there.sockets).toHaveLength(1);
  });

  it('but not as its response', async () => {
    const there = await receives((socket) => socket.end(continues));

    expect(await sender().send({ ...request, url: there.url })).toMatchObject({
      kind: 'failed',
      outcome: 'connection',
      error: 'connection closed before the response ended',
    });
  });

  it('nor may it switch protocols', async () => {
    const there = await receives((socket) =>
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
      ),
    );

    expect(await sender().send({ ...request, url: there.url })).toMatchObject({
      kind: 'failed',
      outcome: 'connection',
    });
  });
});
