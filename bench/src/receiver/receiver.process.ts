import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { machineClock } from '../load/clock.js';
import { serveParent } from '../process/child.js';

/**
 * A command to the receiver: start, report counts, report counts with arrivals, or forget
 * everything. `afterMs`: it answers each webhook this many milliseconds after it arrived, or never.
 */
export type ReceiverQuestion =
  | { readonly type: 'start'; readonly afterMs: number | 'never' }
  | { readonly type: 'received' }
  | { readonly type: 'arrivals' }
  | { readonly type: 'forget' };

/**
 * The webhooks that arrived since the last 'forget'. Instants are on the machine's monotonic clock.
 */
export interface ReceivedWebhooks {
  readonly port: number;
  readonly count: number;
  /** Without repetitions, which have the same path and the same `webhook-id`. */
  readonly distinct: number;
  readonly first: number;
  readonly last: number;
  readonly sample: ReceivedHook | undefined;
  /** When the webhook of each conversion arrived; only for 'arrivals'. */
  readonly arrivals: ReadonlyMap<string, number>;
}

export interface ReceivedHook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

let seen = new Set<string>();
let count = 0;
let first = 0;
let last = 0;
let sample: ReceivedHook | undefined;
/** The bodies of webhooks, which are parsed only for 'arrivals'. */
let bodies: { readonly at: number; readonly body: Buffer }[] = [];
const maxBodies = 20_000;

let afterMs: number | 'never' = 0;

/** A receiver of webhooks that returns 204 and counts. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (afterMs === 0) response.writeHead(204).end();
    else if (afterMs !== 'never') setTimeout(() => response.writeHead(204).end(), afterMs);
    received(request, Buffer.concat(chunks));
  });
});

const received = ({ url: path = '', headers }: IncomingMessage, body: Buffer): void => {
  last = machineClock.now();
  if (count++ === 0) first = last;
  seen.add(`${path} ${String(headers['webhook-id'])}`);
  sample ??= { path, headers, body: body.toString('utf8'), at: Date.now() };
  if (bodies.length < maxBodies) bodies.push({ at: last, body });
};

const arrivals = (): Map<string, number> =>
  new Map(
    bodies.map(({ at, body }) => [
      (JSON.parse(body.toString('utf8')) as { readonly data: { readonly id: string } }).data.id,
      at,
    ]),
  );

const respond = async (question: ReceiverQuestion): Promise<ReceivedWebhooks> => {
  const { type } = question;
  if (type === 'start') {
    ({ afterMs } = question);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  const { port } = server.address() as AddressInfo;
  const report = {
    port,
    count,
    distinct: seen.size,
    first,
    last,
    sample,
    arrivals: type === 'arrivals' ? arrivals() : new Map<string, number>(),
  };
  if (type === 'forget') {
    [seen, bodies, count, first, last, sample] = [new Set(), [], 0, 0, 0, undefined];
  }
  return report;
};

serveParent(respond);
