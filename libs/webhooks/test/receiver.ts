import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How to answer a request: a status, possibly with headers, or `never`. */
export type HookResponse =
  number | 'never' | { readonly status: number; readonly headers: Record<string, string> };

/**
 * A receiver on a free port of 127.0.0.1. It keeps all requests, and answers by path: 200 by
 * default.
 */
export class Receiver {
  readonly received: Received[] = [];
  private readonly responses = new Map<
    string,
    (request: Received) => HookResponse | Promise<HookResponse>
  >();
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

  requestsTo(path: string): readonly Received[] {
    return this.received.filter((request) => request.path === path);
  }

  /** The number of requests held without a response. */
  get holding(): number {
    return [...this.held].filter((response) => !response.destroyed).length;
  }

  respond(
    path: string,
    respond: (request: Received) => HookResponse | Promise<HookResponse>,
  ): void {
    this.responses.set(path, respond);
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async reply(received: Received, response: ServerResponse): Promise<void> {
    const respond = await (this.responses.get(received.path)?.(received) ?? 200);
    if (respond === 'never') this.held.add(response);
    else if (typeof respond === 'number') response.writeHead(respond).end();
    else response.writeHead(respond.status, respond.headers).end();
  }
}
