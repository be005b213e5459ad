import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How to answer a request: a status, possibly with headers, or `never`. */
export type Answer =
  number | 'never' | { readonly status: number; readonly headers: Record<string, string> };

/**
 * A receiver on a free port of 127.0.0.1. It keeps all requests, and answers by path: 200 by
 * default.
 */
export class Receiver {
  readonly received: Received[] = [];
  private readonly answers = new Map<string, (request: Received) => Answer | Promise<Answer>>();
  private readonly held = new Set<ServerResponse>();
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      this.received.push(received);
      void this.reply(received, response);
    });
  });

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  at(path: string): readonly Received[] {
    return this.received.filter((request) => request.path === path);
  }

  /** The number of requests held without an answer. */
  get holding(): number {
    return [...this.held].filter((response) => !response.destroyed).length;
  }

  answer(path: string, answer: (request: Received) => Answer | Promise<Answer>): void {
    this.answers.set(path, answer);
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async reply(received: Received, response: ServerResponse): Promise<void> {
    const answer = await (this.answers.get(received.path)?.(received) ?? 200);
    if (answer === 'never') this.held.add(response);
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else response.writeHead(answer.status, answer.headers).end();
  }
}
