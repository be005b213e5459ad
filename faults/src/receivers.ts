import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { signatureFaults, type Envelope, type Random } from '@refledger/testing';
import { Receipts } from './receipts.js';

/** Running receivers, and everything that they got. */
export interface Receivers {
  readonly receipts: Receipts;
  url(this: void, path: string): string;
  /** From now on answers everything with 200 immediately. */
  calm(): void;
  close(): Promise<void>;
}

export interface ReceiversOptions {
  readonly random: Random;
  /** The file in which every request is recorded. */
  readonly file: string;
  /** Whether service and test share a clock: then `webhook-timestamp` must be current. */
  readonly oneClock: boolean;
}

/** How each receiver behaves, by the first word of its path. All others always return 200. */
const manners: Readonly<Record<string, Readonly<Record<Manner, number>>>> = {
  flaky: { well: 84, broken: 8, busy: 5, late: 1, reset: 2 },
  slow: { well: 96, broken: 0, busy: 0, late: 4, reset: 0 },
};
type Manner = 'well' | 'broken' | 'busy' | 'late' | 'reset';

/**
 * Receivers of webhooks on 127.0.0.1, one per path. Each request is checked and counted
 * immediately, and kept as digests.
 */
export const startReceivers = async ({
  random,
  file,
  oneClock,
}: ReceiversOptions): Promise<Receivers> => {
  const receipts = new Receipts(file);
  let calm = false;
  const used = new WeakSet<Socket>();
  const server = createServer((request, response) => {
    const isReused = used.has(request.socket);
    used.add(request.socket);
    void read(request).then(
      async (bytes) => {
        const path = request.url ?? '';
        const hook = {
          path,
          method: request.method ?? '',
          headers: request.headers,
          bytes,
          at: Date.now(),
          envelope: envelopeOf(bytes),
        };
        const weights = manners[path.slice(1).split('-')[0] ?? ''];
        const manner = calm || weights === undefined ? 'well' : random.weighted(weights);
        receipts.add(hook, {
          faults: signatureFaults(hook, secretOf(path)).filter(
            (fault) => oneClock || fault !== 'webhook-timestamp',
          ),
          isSentAgain: manner === 'reset' && isReused,
        });
        await respond(response, manner, random);
      },
      () => request.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(0, '127.0.0.1', resolve),
  );
  const { port } = server.address() as AddressInfo;
  return {
    receipts,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    calm: () => void (calm = true),
    close: () => {
      server.closeAllConnections();
      receipts.close();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};

/**
 * The secret of a receiver, known before it is subscribed. Some have the service's own form, others
 * are a client's own text.
 */
export const secretOf = (path: string): string => {
  const digest = createHash('sha256').update(path).digest();
  return digest.readUInt8(0) % 2 === 0
    ? `whsec_${digest.toString('base64')}`
    : `secret of ${path} ${digest.toString('hex').slice(0, 16)}`;
};

const respond = async (response: ServerResponse, manner: Manner, random: Random): Promise<void> => {
  switch (manner) {
    case 'well':
      return void response.writeHead(200).end();
    case 'broken':
      return void response.writeHead(500).end('no');
    case 'busy':
      return void response.writeHead(503, { 'retry-after': '1' }).end();
    case 'reset':
      return void response.destroy();
    case 'late':
      await sleep(random.intBetween(50, 1_500));
      return void response.writeHead(200).end();
  }
};

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const envelopeOf = (bytes: Buffer): Envelope => {
  try {
    // Decoding boundary: the comparisons check its content later.
    return JSON.parse(bytes.toString('utf8')) as Envelope;
  } catch {
    return {} as Envelope;
  }
};
