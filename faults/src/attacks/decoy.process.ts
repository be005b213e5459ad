import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AttackName } from './attacks.js';
import { attacks } from './attacks.js';

// Decoding boundary: `Decoy` has written it.
const { responses, responseBytes } = attacks[process.argv[2] as AttackName];
const [status = 200] = responses;
const body = JSON.stringify({ id: 'decoy', filler: 'x'.repeat(responseBytes) });

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.(`http://127.0.0.1:${port}`);
});
process.on('disconnect', () => process.exit());
