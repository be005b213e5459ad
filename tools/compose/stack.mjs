import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answers, runTool } from '../servers/run-tool.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The command that runs compose: v2 as Docker's plugin, or docker-compose 1.29 or later.
 * Undefined where neither is installed.
 */
export const composeCommand = () =>
  [['docker', 'compose'], ['docker-compose']].find(([command, ...args]) =>
    answers(command, ...args, 'version'),
  );

/** The reason why compose cannot run here; undefined where it can. */
export const reasonToSkip = () => {
  if (!answers('docker', 'version')) return 'Docker does not respond';
  return composeCommand() === undefined
    ? 'neither docker compose nor docker-compose is installed'
    : undefined;
};

/** The compose file as a separate project, overridden by `files`. */
export const stackOf = ({ command, project, files, env }) => {
  const [program, ...first] = command;
  const before = [
    ...first,
    '-p',
    project,
    ...[join(root, 'docker-compose.yml'), ...files].flatMap((file) => ['-f', file]),
  ];
  const run = (...args) => runTool(program, [...before, ...args], { cwd: root, env });
  const container = (service) => {
    const { stdout } = spawnSync(program, [...before, 'ps', '-q', service], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    return stdout.trim() || undefined;
  };
  const state = (service) => {
    const id = container(service);
    if (id === undefined) return 'missing';
    return spawnSync(
      'docker',
      ['inspect', '-f', '{{.State.Status}} {{.State.Health.Status}}', id],
      { env, encoding: 'utf8' },
    ).stdout.trim();
  };
  return {
    run,
    /** The beginning of a command line that runs in a one-off container of a service. */
    oneOff: (service) =>
      [program, ...before, 'run', '--rm', '-T', '--no-deps', service]
        .map((word) => `'${word}'`)
        .join(' '),
    kill: (service) => runTool('docker', ['kill', '--signal', 'KILL', container(service)], { env }),
    /** Waits until all of these services are healthy. */
    healthy: async (services, timeoutMs) => {
      const until = Date.now() + timeoutMs;
      for (;;) {
        const waitedFor = services
          .map((service) => `${service} (${state(service)})`)
          .filter((text) => !text.endsWith('(running healthy)'));
        if (waitedFor.length === 0) return;
        if (Date.now() > until)
          throw new Error(`not healthy after ${timeoutMs / 1000} s: ${waitedFor.join(', ')}`);
        await sleep(500);
      }
    },
    logs: () =>
      spawnSync(program, [...before, 'logs', '--tail', '30', '--no-color'], {
        cwd: root,
        env,
        encoding: 'utf8',
      }).stdout,
  };
};
