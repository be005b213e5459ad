// A webhook receiver for experiments: `node tools/receiver.mjs [port] [secret]` prints each
// webhook, and whether its signature is valid. HOST is the address that it listens on. With KEEP, it
// also keeps the latest state of each record in the file of this name.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [port = '4000', secret] = process.argv.slice(2);
const { HOST: host = '127.0.0.1', KEEP: file } = process.env;

const verdict = (body, signature) => {
  if (secret === undefined) return 'not checked (give the secret as the second argument)';
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  return typeof signature === 'string' &&
    signature.length === expected.length &&
    timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
    ? 'valid'
    : 'INVALID';
};

/** The order of one record's events: a restored backup may use revisions again, but not times. */
const isLater = (event, known) =>
  event.timestamp === known.timestamp
    ? event.data.revision > known.data.revision
    : event.timestamp > known.timestamp;

const latest = {};
const keep = ({ timestamp, data }) => {
  const event = { timestamp, data };
  const known = latest[data.id];
  if (known === undefined || isLater(event, known)) latest[data.id] = event;
  writeFileSync(file, JSON.stringify(latest));
};

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const event = JSON.parse(body.toString('utf8'));
  if (file !== undefined) keep(event);
  response.writeHead(204).end();
  console.log(
    `${request.headers['x-service-event']} ${request.headers['webhook-id']} signature ${verdict(body, request.headers['x-service-signature'])}`,
  );
  console.log(JSON.stringify(event, null, 2));
}).listen(Number(port), host, () => console.log(`waiting for webhooks at http://${host}:${port}/`));
