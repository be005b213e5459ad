import type { Engine, TestServer } from '../test-server.js';

/**
 * Returns a server that is already running at a URL. A suite uses it but may not stop or harm it.
 */
export const environmentServer = (engine: Engine, url: string): TestServer => {
  const refuse = (what: string) =>
    new Error(
      `${engine} is a server from the environment: a test can't ${what} it. Unset its TEST_ variable to have one started.`,
    );
  const refused = (what: string) => () => Promise.reject(refuse(what));
  const thrown = (what: string) => () => {
    throw refuse(what);
  };
  return {
    engine,
    url,
    product: engine,
    version: 'unknown',
    from: 'environment',
    restart: refused('restart'),
    kill: refused('kill'),
    start: refused('start'),
    pause: thrown('pause'),
    resume: thrown('resume'),
    stop: () => Promise.resolve(),
  };
};
