import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { scaledTimeout } from '@refledger/testing';

/** The result of a storm. */
export interface StormReport {
  /** The number of responses, by status. */
  readonly responses: ReadonlyMap<number, number>;
  /** One complete response per status. */
  readonly samples: ReadonlyMap<number, string>;
  readonly seconds: number;
  /** The number of requests that were due before the end but found no free connection. */
  readonly unsent: number;
}

export interface Storm {
  /**
   * Sends requests at a constant rate per second, whatever the responses; without a rate, sends one
   * request after each response. Then waits for the last responses.
   */
  blow(options: {
    readonly seconds: number;
    readonly connections: number;
    readonly rate?: number;
  }): Promise<StormReport>;
  close(): void;
}

/**
 * Sends the same bytes over and over on many connections, which is so cheap that the other side is
 * overloaded first. Connections that it has closed, because they were idle for too long, do not
 * count.
 */
export const requestStorm = (baseUrl: string, bytes: string): Storm => {
  const { hostname, port } = new URL(baseUrl);
  const request = Buffer.from(bytes);
  const sockets: Socket[] = [];
  let onResponse: (socket: Socket, chunk: Buffer) => void = () => undefined;
  const grow = async (wanted: number): Promise<void> => {
    while (sockets.length < wanted) {
      await Promise.all(
        Array.from({ length: Math.min(100, wanted - sockets.length) }, async () => {
          const socket = connect(Number(port), hostname).setNoDelay(true);
          sockets.push(
            socket.on('error', () => undefined).on('data', (chunk) => onResponse(socket, chunk)),
          );
          await once(socket, 'connect');
        }),
      );
    }
  };
  return {
    blow: async ({ seconds, connections, rate }) => {
      await grow(connections);
      const responses = new Map<number, number>();
      const samples = new Map<number, string>();
      const free = sockets.slice(0, connections);
      const busy = new Set<Socket>();
      const begun = performance.now();
      const elapsed = (): number => (performance.now() - begun) / 1_000;
      let sent = 0;
      const send = (socket: Socket): void => {
        busy.add(socket);
        socket.write(request);
        sent++;
      };
      // a connection has one request in flight, and its response arrives in one piece, because it
      // is small and written immediately
      onResponse = (socket, chunk) => {
        const text = chunk.toString('latin1');
        const status = Number(text.slice(9, 12));
        responses.set(status, (responses.get(status) ?? 0) + 1);
        if (!samples.has(status)) samples.set(status, text);
        busy.delete(socket);
        if (rate === undefined && elapsed() < seconds) send(socket);
        else free.push(socket);
      };
      if (rate === undefined) for (const socket of free.splice(0)) send(socket);
      while (elapsed() < seconds) {
        const due = rate === undefined ? 0 : Math.floor(elapsed() * rate) - sent;
        for (const socket of free.splice(0, Math.max(0, due))) if (socket.writable) send(socket);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      const took = elapsed();
      const unsent = rate === undefined ? 0 : Math.max(0, Math.floor(took * rate) - sent);
      const deadline = performance.now() + scaledTimeout(30_000);
      while (busy.size > 0 && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 5));
      return { responses, samples, seconds: took, unsent };
    },
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
};
