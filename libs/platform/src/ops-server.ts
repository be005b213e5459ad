import { createServer, type Server } from 'node:http';
import type { Config } from './config/config.js';
import type { Health } from './health.js';
import { metricsContentType } from './metrics.js';

/**
 * Serves `/health/live`, `/health/ready` and `/metrics` for monitoring. Resolves to undefined without
 * OPS_PORT.
 */
export const startOpsServer = async (
  {
    opsPort,
    http: { host },
  }: Pick<Config, 'opsPort'> & { readonly http: Pick<Config['http'], 'host'> },
  health: Health,
  metrics: () => Promise<string>,
) => {
  if (opsPort === undefined) return undefined;
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    const respond = (status: number, type: string, body: string): void =>
      void response.writeHead(status, { 'content-type': type }).end(body);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return respond(405, 'text/plain', 'Use GET.\n');
    if (path === '/health/live') return respond(200, 'application/json', '{"status":"live"}');
    if (path === '/health/ready') {
      const report = health.summary();
      return respond(report.ready ? 200 : 503, 'application/json', JSON.stringify(report));
    }
    if (path !== '/metrics')
      return respond(
        404,
        'text/plain',
        'Not found. Use /health/live, /health/ready or /metrics.\n',
      );
    metrics().then(
      (text) => respond(200, metricsContentType, text),
      (error: unknown) => respond(500, 'text/plain', `${String(error)}\n`),
    );
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(opsPort, host, resolve),
  );
  return { url: urlOf(server), close: () => closeServer(server) };
};

const urlOf = (server: Server): string => {
  const at = server.address();
  if (at === null || typeof at === 'string') throw new Error('the ops server has no port');
  const { address, family, port } = at;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    // monitoring reconnects; an idle connection must not hold up the shutdown
    server.closeAllConnections();
  });
