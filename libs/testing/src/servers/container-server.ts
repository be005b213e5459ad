import { spawnSync } from 'node:child_process';
import type { TestServer } from '../test-server.js';
import { eventually } from '../wait.js';
import { listens } from './listens.js';

export interface ContainerServer extends Pick<
  TestServer,
  'engine' | 'product' | 'version' | 'url'
> {
  readonly image: string;
  /**
   * The port in the container and on 127.0.0.1 alike, so that it stays the same after a restart.
   */
  readonly port: number;
  /** The text that the server prints once it is ready. */
  readonly ready: string;
  readonly command?: string[];
  readonly env?: Record<string, string>;
  /** A command to run once in the container, when the server is first ready. */
  readonly afterFirstStart?: string[];
}

/**
 * Runs a server in a container with Testcontainers. Ryuk removes the container if the tests end
 * without stopping it.
 */
export const startContainer = async ({
  image,
  port,
  ready,
  command = [],
  env = {},
  afterFirstStart = [],
  ...about
}: ContainerServer): Promise<TestServer> => {
  // loaded only on use, since it brings a whole Docker client
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(image)
    .withExposedPorts({ container: port, host: port })
    .withEnvironment(env)
    .withCommand(command)
    .withWaitStrategy(Wait.forLogMessage(ready))
    .start();
  if (afterFirstStart.length > 0) {
    const { exitCode, output } = await container.exec(afterFirstStart);
    if (exitCode !== 0) throw new Error(`${image} could not be prepared: ${output}`);
  }
  const docker = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync('docker', [...args, container.getId()], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`docker ${args.join(' ')} failed: ${stderr}`);
  };
  const start = async (): Promise<void> => {
    const since = new Date().toISOString();
    docker('start');
    await eventually(
      async () => {
        const { stdout, stderr } = spawnSync(
          'docker',
          ['logs', '--since', since, container.getId()],
          { encoding: 'utf8' },
        );
        if (!`${stdout}${stderr}`.includes(ready) || !(await listens(port)))
          throw new Error(`${image} is not serving yet`);
      },
      { timeoutMs: 60_000, intervalMs: 200 },
    );
  };
  return {
    ...about,
    from: 'container',
    restart: async () => {
      docker('stop', '--time', '30');
      await start();
    },
    kill: () => Promise.resolve(docker('kill', '--signal', 'KILL')),
    start,
    pause: () => docker('pause'),
    resume: () => docker('unpause'),
    stop: () => container.stop().then(() => undefined),
  };
};
