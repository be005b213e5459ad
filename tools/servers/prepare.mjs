// `node tools/servers/prepare.mjs`: prepares the servers for the suites of the distributed engines
// and the fuzzer of `npm run faults`, and prints a list of them.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventstoredb } from './eventstoredb.mjs';
import { kafka } from './kafka.mjs';
import { mongodb } from './mongodb.mjs';
import { answers } from './run-tool.mjs';
import { schemathesis } from './schemathesis.mjs';
import { serversFolder } from './servers-folder.mjs';

/**
 * Prepares the server that each engine's suites will use. The order of choice: a URL in the
 * environment, a container, an installed server, the double. TEST_SERVERS=none hides all but the
 * double. `libs/testing/src/servers/choose-server.ts` chooses in the same order from what is then
 * available. `broken` means that an installation was possible here, but failed.
 */
export const prepareServers = (besides = []) =>
  Promise.all([eventstoredb, mongodb, kafka, ...besides].map(prepared));

/** The text about a server at the top of a run. */
export const describeServer = ({ engine, meets, missing, suggestion }) =>
  missing === undefined
    ? `${engine}: ${meets}`
    : `${engine}: MISSING, so its suites are SKIPPED. Missing: ${missing}. ${suggestion}`;

const prepared = async (server) => {
  const { engine } = server;
  const double = 'the double of libs/testing, not EventStoreDB itself';
  if (process.env.TEST_SERVERS === 'none') {
    return server.double
      ? { engine, meets: double }
      : {
          engine,
          missing: 'a server, since TEST_SERVERS=none hides them all',
          suggestion: 'Unset it to use the available servers.',
        };
  }
  if (server.url && process.env[server.url])
    return { engine, from: 'environment', meets: `the server that ${server.url} names` };
  if (
    server.image &&
    answers('docker', 'version') &&
    (answers('docker', 'image', 'inspect', server.image) ||
      answers('docker', 'pull', '--quiet', server.image))
  )
    return { engine, meets: `${server.image}, in a container` };
  if (server.double)
    return { engine, meets: `${double}; use a real one with ${server.url} or Docker` };
  // a tool that is not a server has no URL, so it can only be installed
  const [named, hosted] = server.url
    ? [`, or name a server in ${server.url}`, `, or let Docker run ${server.image}`]
    : ['', ''];
  const suggestion = `Install what is missing${named}${hosted}.`;
  const lacks = server.lacks();
  if (lacks.length > 0) return { engine, missing: lacks.join(', and '), suggestion, broken: false };
  try {
    await server.install();
    return { engine, meets: `${server.product}, installed in a directory` };
  } catch (error) {
    mkdirSync(serversFolder(), { recursive: true });
    const file = join(serversFolder(), `${engine.toLowerCase()}.log`);
    writeFileSync(file, `${error.message}\n`);
    return {
      engine,
      missing: `a working installation (${file} says why it failed)`,
      suggestion: `Try again${named}.`,
      broken: true,
    };
  }
};

if (
  process.argv[1] !== undefined &&
  realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
) {
  const servers = await prepareServers([schemathesis]);
  for (const server of servers) console.log(describeServer(server));
  process.exitCode = servers.some(({ broken }) => broken) ? 1 : 0;
}
