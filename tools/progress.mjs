import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testFiles } from './suites.mjs';
import { resultsOf } from './tally.mjs';

const everyMs = 15_000;

/**
 * Prints every 15 s which test files of this tier are running, and how many are done.
 * Running suites report through tools/jest/progress-reporter.cjs, which needs `env`; a
 * workspace is finished once it has a results file.
 */
export const showProgress = (workspaces, tier) => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-progress-'));
  const begun = performance.now();
  const files = new Map(workspaces.map((workspace) => [workspace, testFiles(workspace, tier)]));
  const total = [...files.values()].flat().length;
  const reports = () =>
    readdirSync(folder)
      .filter((name) => !name.startsWith('appended-'))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
  const line = () => {
    const events = reports();
    const those = (what) =>
      events
        .filter((event) => event.startsWith(`${what} `))
        .map((event) => event.slice(what.length + 1));
    const finished = [...files].flatMap(([workspace, of]) =>
      existsSync(resultsOf(workspace, tier)) ? of : [],
    );
    const done = new Set([...those('end'), ...finished]);
    const running = those('begin').filter((file) => !done.has(file));
    return `[${clock(performance.now() - begun)}] ${done.size} of ${total} test files done; running: ${running.join(', ') || 'none'}`;
  };
  const timer = setInterval(() => console.log(line()), everyMs);
  return {
    env: { TEST_PROGRESS_DIR: folder },
    /**
     * Ends, and returns how many processes the suites of each workspace have started, and how many
     * events they have appended.
     */
    stop: () => {
      clearInterval(timer);
      const started = reports().map((report) => /^started-(\d+) (.*)/.exec(report) ?? []);
      const counts = workspaces.map((workspace) => ({
        workspace,
        processes: started
          .filter(([, , file]) => file?.startsWith(`${workspace}/`))
          .reduce((sum, [, count]) => sum + Number(count), 0),
        events: bytesOf(join(folder, `appended-${encodeURIComponent(workspace)}`)),
      }));
      rmSync(folder, { recursive: true });
      return counts;
    },
  };
};

/** The number of events: each has made the file a byte longer (tools/jest/count-appended.cjs). */
const bytesOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const clock = (ms) =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1_000) % 60).padStart(2, '0')}`;
