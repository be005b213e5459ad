import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const everyMs = 15_000;

/**
 * Prints every 15 s which test files of these workspaces are running, and how many are done.
 * Running suites report through tools/jest/progress-reporter.cjs, which needs `env`; a
 * workspace is finished once it has a results file.
 */
export const showProgress = (workspaces) => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-progress-'));
  const begun = performance.now();
  const files = new Map(workspaces.map((workspace) => [workspace, testFiles(workspace)]));
  const total = [...files.values()].flat().length;
  const line = () => {
    const events = readdirSync(folder).flatMap((name) =>
      readFileSync(join(folder, name), 'utf8').trim().split('\n'),
    );
    const those = (what) =>
      events
        .filter((event) => event.startsWith(`${what} `))
        .map((event) => event.slice(what.length + 1));
    const finished = [...files].flatMap(([workspace, of]) =>
      existsSync(join(root, workspace, 'jest-results.json')) ? of : [],
    );
    const done = new Set([...those('end'), ...finished]);
    const running = those('begin').filter((file) => !done.has(file));
    return `[${clock(performance.now() - begun)}] ${done.size} of ${total} test files done; running: ${running.join(', ') || 'build, lint or type checks'}`;
  };
  const timer = setInterval(() => console.log(line()), everyMs);
  return {
    env: { TEST_PROGRESS_DIR: folder },
    stop: () => {
      clearInterval(timer);
      rmSync(folder, { recursive: true });
    },
  };
};

/** The test files of a workspace, relative to the repository. */
export const testFiles = (workspace) =>
  ['src', 'test']
    .filter((folder) => existsSync(join(root, workspace, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, workspace, folder), { recursive: true }).map(
        (file) => `${workspace}/${folder}/${file}`,
      ),
    )
    .filter((file) => /\.(e2e-)?spec\.ts$/.test(file));

const clock = (ms) =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1_000) % 60).padStart(2, '0')}`;
