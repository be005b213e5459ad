import { once } from 'node:events';
import { Readable } from 'node:stream';
import { fastify } from 'fastify';
import { sendLines } from './send-lines.js';

it.each([
  ['GET', '{"n":1}\n{"n":2}\n', 2],
  ['HEAD', '', 0],
] as const)('answers %s with %j, after reading %s lines', async (method, body, read) => {
  let lines = 0;
  async function* ledger(): AsyncGenerator<string> {
    for (const n of [1, 2]) {
      lines = n;
      yield await Promise.resolve(`${JSON.stringify({ n })}\n`);
    }
  }
  const stream = Readable.from(ledger(), { objectMode: false });
  const closed = once(stream, 'close');
  const server = fastify();
  server.get('/', (_, reply) => {
    sendLines(reply, stream, 'application/x-ndjson');
  });

  const response = await server.inject({ method, url: '/' });
  await closed;
  expect(response).toMatchObject({ statusCode: 200, body });
  expect(response.headers['content-type']).toBe('application/x-ndjson');
  expect(lines).toBe(read);
  await server.close();
});
