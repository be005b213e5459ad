import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { errorsHtml, openApiDocument } from '@refledger/contracts';
import { version } from '@refledger/platform';
import type { FastifyInstance } from 'fastify';

/**
 * Serves the documentation: the OpenAPI document, a page that shows it, and the meaning of each
 * error code. Every asset is served by the gateway itself.
 */
export const registerDocs = (fastify: FastifyInstance): void => {
  fastify.get('/openapi.json', (_request, reply) =>
    reply.type('application/json').send(openApiJson()),
  );
  fastify.get('/docs', (_request, reply) =>
    reply.headers(pageHeaders).type('text/html; charset=utf-8').send(page),
  );
  fastify.get('/docs/errors', (_request, reply) =>
    reply.headers(pageHeaders).type('text/html; charset=utf-8').send(errorsHtml()),
  );
  fastify.get(initPath, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(init),
  );
  for (const [file, type] of Object.entries(assets)) {
    fastify.get(assetPath(file), (_request, reply) =>
      reply
        .type(type)
        .header('Cache-Control', 'public, max-age=3600')
        .send(createReadStream(require.resolve(`swagger-ui-dist/${file}`))),
    );
  }
};

let document: string | undefined;

/** Made on the first request: it takes a sixth of the CPU time of a start. */
const openApiJson = (): string => (document ??= JSON.stringify(openApiDocument({ version })));

const require = createRequire(import.meta.url);

const assets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const assetPath = (file: string): string => `/docs/assets/${file}`;
const initPath = assetPath('init.js');

/** Every path for which `registerDocs` makes a route. */
export const docsPaths: readonly string[] = [
  '/openapi.json',
  '/docs',
  '/docs/errors',
  initPath,
  ...Object.keys(assets).map(assetPath),
];

const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
};

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Refledger</title><link rel="stylesheet" href="/docs/assets/swagger-ui.css"></head>
<body><div id="docs"></div><script src="/docs/assets/swagger-ui-bundle.js"></script><script src="/docs/assets/init.js"></script></body>
</html>
`;

const init = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null });\n`;
