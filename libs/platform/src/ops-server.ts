import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Health } from './health.js';
import { metricsContentType } from './metrics.js';

export interface OpsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves `/health/live`, `/health/ready` and `/metrics` for monitoring. */
export const startOpsServer = async (options: {
  port: number;
  host: string;
  health: Health;
  metrics: () => Promise<string>;
}): Promise<OpsServer> => {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    const answer = (status: number, type: string, body: string): void =>
      void response.writeHead(status, { 'content-type': type }).end(body);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return answer(405, 'text/plain', 'only GET\n');
    if (path === '/health/live') return answer(200, 'application/json', '{"status":"live"}');
    if (path === '/health/ready') {
      const report = options.health.summary();
      return answer(report.ready ? 200 : 503, 'application/json', JSON.stringify(report));
    }
    if (path !== '/metrics')
      return answer(404, 'text/plain', 'try /health/live, /health/ready or /metrics\n');
    options.metrics().then(
      (text) => answer(200, metricsContentType, text),
      (error: unknown) => answer(500, 'text/plain', `${String(error)}\n`),
    );
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(options.port, options.host, resolve),
  );
  return { url: urlOf(server), close: () => closeServer(server) };
};

const urlOf = (server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    // monitoring reconnects; an idle connection must not hold up the shutdown
    server.closeAllConnections();
  });
