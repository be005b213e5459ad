import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Envelope } from '../records.js';
import { eventually } from '../wait.js';

/** One request that reached the receiver. */
export interface Hook {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** When it arrived by the receiver's clock, in milliseconds since 1970. */
  readonly at: number;
  readonly envelope: Envelope;
}

/** How to answer: with a response, or not at all. */
type Reply =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
      /** Whether `100 Continue` comes first. */
      readonly continues?: true;
      /** Instead of ending, the body drips one byte at a time, or the connection breaks. */
      readonly then?: 'drip' | 'break';
    }
  | 'never';
/**
 * Chooses the reply to a request. `attempt` counts the requests with one webhook-id on one path,
 * from 1.
 */
type Script = (hook: Hook, attempt: number) => Reply;

export interface HookReceiver {
  readonly port: number;
  url(path: string): string;
  /** From now on a script answers the requests to `path`. Without a script they get a 200. */
  script(path: string, script: Script): void;
  hooks(path: string): readonly Hook[];
  /**
   * Resolves to the requests to `path` once there are `wanted` of them, or once the condition
   * holds.
   */
  waitFor(
    path: string,
    wanted: number | ((hooks: readonly Hook[]) => boolean),
    timeoutMs?: number,
  ): Promise<readonly Hook[]>;
  /**
   * Resolves once every request that was sent is in `hooks`, since the system may still hold some of
   * a process that was killed. Call it after all senders have ended.
   */
  settled(): Promise<void>;
  close(): Promise<void>;
}

interface HookReceiverOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Its clock, for a service whose clock a test moves. Default: the clock of the machine. */
  readonly now?: () => number;
}

/** Starts a receiver of webhooks on 127.0.0.1. Each path is a separate endpoint. */
export const startHookReceiver = async ({
  port: onPort = 0,
  now = Date.now,
}: HookReceiverOptions = {}): Promise<HookReceiver> => {
  const received = new Map<string, Hook[]>();
  const scripts = new Map<string, Script>();
  const drips = new Set<NodeJS.Timeout>();
  const hooks = (path: string): readonly Hook[] => received.get(path) ?? [];

  const server = createServer((request, response) => {
    void read(request, now).then(
      (hook) => {
        const all = [...hooks(hook.path), hook];
        received.set(hook.path, all);
        const attempt = all.filter(
          ({ headers }) => headers['webhook-id'] === hook.headers['webhook-id'],
        ).length;
        reply(response, scripts.get(hook.path)?.(hook, attempt) ?? { status: 200 }, drips);
      },
      () => request.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(onPort, '127.0.0.1', resolve),
  );
  const { port } = server.address() as AddressInfo;

  return {
    port,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    script: (path, script) => void scripts.set(path, script),
    hooks,
    waitFor: (path, wanted, timeoutMs = 20_000) =>
      eventually(
        () => {
          const all = hooks(path);
          if (typeof wanted === 'number' ? all.length >= wanted : wanted(all)) return all;
          throw new Error(
            `${path} still waits for ${typeof wanted === 'number' ? `${wanted} hooks` : String(wanted)}; it has ${JSON.stringify(all.map(({ envelope }) => envelope))}`,
          );
        },
        { timeoutMs, intervalMs: 10 },
      ),
    settled: async () => {
      // connections are accepted in order, so all earlier ones are counted once ours was closed
      await once(connect(port, '127.0.0.1').resume().end(), 'close');
      await eventually(async () => {
        const open = await promisify(server.getConnections.bind(server))();
        if (open > 0) throw new Error(`${open} connections to the receiver are still open`);
      });
    },
    close: () => {
      for (const drip of drips) clearInterval(drip);
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};

const read = async (request: IncomingMessage, now: () => number): Promise<Hook> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return {
    path: request.url ?? '',
    method: request.method ?? '',
    headers: request.headers,
    bytes,
    at: now(),
    envelope: envelopeOf(bytes),
  };
};

/**
 * Parses the body. Text that is not JSON becomes an empty envelope, so that expectations fail
 * rather than the receiver.
 */
const envelopeOf = (bytes: Buffer): Envelope => {
  try {
    return JSON.parse(bytes.toString('utf8')) as Envelope;
  } catch {
    return {} as Envelope;
  }
};

const reply = (response: ServerResponse, how: Reply, drips: Set<NodeJS.Timeout>): void => {
  if (how === 'never') return;
  if (how.continues) response.writeContinue();
  response.writeHead(how.status, { ...how.headers });
  if (how.then === undefined) return void response.end(how.body);
  response.write(how.body ?? '.', () => how.then === 'break' && response.destroy());
  if (how.then === 'break') return;
  const drip = setInterval(() => response.write('.'), 50);
  drips.add(drip);
  response.on('close', () => clearInterval(drip));
};
