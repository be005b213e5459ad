// Bundles Refledger's programs from tsc's output into `bundle/`: one file for each program and thread,
// and chunks that programs share. A service loads dozens of files instead of thousands, so it
// starts in half the time.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'bundle');
/** Lists every input. Written last, so it is newer than they are. */
const metafile = join(folder, 'metafile.json');

const programs = {
  standalone: 'apps/standalone/dist/main.js',
  'processors.worker': 'apps/standalone/dist/processors.worker.js',
  gateway: 'apps/gateway/dist/main.js',
  projector: 'apps/projector/dist/main.js',
  ledger: 'apps/ledger/dist/main.js',
  relay: 'apps/relay/dist/main.js',
  'webhook-dispatcher': 'apps/webhook-dispatcher/dist/main.js',
  ops: 'apps/ops/dist/main.js',
};

/** Threads that only read and write SQLite. Each is one file, since a shared chunk would load more. */
const storageThreads = {
  'writer.worker': 'libs/event-log/dist/sqlite/writer.worker.js',
  'bulk.worker': 'libs/read-store/dist/sqlite/saving/bulk.worker.js',
  'delivery-store.worker': 'libs/delivery-store/dist/sqlite/delivery-store.worker.js',
  'key-store.worker': 'libs/key-store/dist/sqlite/key-store.worker.js',
};

/** Not part of the service: a server that tests start. */
const testServers = { 'eventstoredb-double': 'libs/testing/dist/eventstoredb/main.js' };

/** Packages that the bundle imports from `node_modules`. */
export const externalPackages = [
  '@photostructure/sqlite', // native
  '@eventstore/db-client',
  'mongodb',
  'kafkajs', // idle-queues.ts patches the copy that the bus uses
  'reflect-metadata', // must run before Nest, and an import of CommonJS in a bundle runs too late
  'swagger-ui-dist', // its files are served
];

/** Packages that Nest imports only for features that Refledger does not use. */
const optionalPackagesOfNest = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@grpc/grpc-js',
  '@grpc/proto-loader',
  '@nats-io/*',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'amqp-connection-manager',
  'amqplib',
  'class-transformer',
  'class-validator',
  'ioredis',
  'mqtt',
];

const bundle = async (entryPoints, { splitting } = { splitting: false }) => {
  // not loaded into a service that `npm start` runs in this process
  const { build } = await import('esbuild');
  const { metafile: result } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    sourcemap: 'linked',
    metafile: true,
    logLevel: 'warning',
    external: [...externalPackages, ...optionalPackagesOfNest],
    // for packages in CommonJS
    banner: {
      js: "import { createRequire as requireOfBundle } from 'node:module'; const require = requireOfBundle(import.meta.url);",
    },
    splitting,
  });
  return result;
};

/** Throws if a storage thread would load schemas: they cost each thread megabytes of memory. */
const checkStorageThreads = ({ outputs }) => {
  for (const [file, { inputs }] of Object.entries(outputs)) {
    const schemas = Object.entries(inputs).find(
      ([input, { bytesInOutput }]) => bytesInOutput > 0 && input.includes('node_modules/zod/'),
    );
    if (schemas !== undefined)
      throw new Error(
        `${file} contains ${schemas[0]}. Find the import with \`npx esbuild --analyze\`, and import from a file without schemas.`,
      );
  }
};

/** Bundles everything, and removes the files of earlier bundles. */
export const bundlePrograms = async () => {
  const threads = await bundle(storageThreads);
  checkStorageThreads(threads);
  const built = [threads, await bundle(programs, { splitting: true }), await bundle(testServers)];
  // its process would otherwise run beside a service that `npm start` starts
  await (await import('esbuild')).stop();
  const names = new Set(
    built.flatMap(({ outputs }) => Object.keys(outputs)).map((file) => basename(file)),
  );
  for (const file of readdirSync(folder)) if (!names.has(file)) rmSync(join(folder, file));
  const inputs = [...new Set(built.flatMap((each) => Object.keys(each.inputs)))];
  writeFileSync(metafile, JSON.stringify({ inputs }));
};

/** Whether no input has changed since the programs were bundled. */
export const isBundleCurrent = () => {
  if (!existsSync(metafile)) return false;
  const { inputs } = JSON.parse(readFileSync(metafile, 'utf8'));
  const { mtimeMs } = statSync(metafile);
  return [...inputs.map((input) => join(root, input)), fileURLToPath(import.meta.url)].every(
    (input) => existsSync(input) && statSync(input).mtimeMs < mtimeMs,
  );
};
