import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scaledTimeout } from '@refledger/testing';
import { findingsIn, type Finding } from './finding.js';

export interface FuzzOptions {
  /** The directory in which schemathesis is installed. */
  readonly installed: string;
  /** The directory in which the run may leave files. */
  readonly directory: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly seed: number;
  /** In which schemathesis makes requests: `examples`, `coverage`, `fuzzing`, `stateful`. */
  readonly phases: readonly string[];
  /** Per operation and phase. */
  readonly maxExamples: number;
}

export interface FuzzRun {
  readonly findings: readonly Finding[];
  readonly summary: FuzzSummary;
  readonly printed: string;
}

/** The fields read here of the summary that schemathesis 4 writes. */
interface FuzzSummary {
  /** Whether the run reached its end. */
  readonly complete: boolean;
  readonly stop_reason: string;
  /** 0: it found nothing; 1: it found something. */
  readonly exit_code: number;
  readonly operations: { readonly total: number; readonly tested: number };
  readonly test_cases: { readonly generated: number };
  readonly errors: readonly object[];
}

/** Runs schemathesis against the service, with requests made from its own OpenAPI document. */
export const runSchemathesis = async (options: FuzzOptions): Promise<FuzzRun> => {
  const { installed, directory, baseUrl, apiKey, seed, phases, maxExamples } = options;
  const [events, summary] = [join(directory, 'events.ndjson'), join(directory, 'summary.json')];
  const printed = await run(join(installed, 'bin/schemathesis'), directory, [
    ...['--no-color', 'run', `${baseUrl}/openapi.json`],
    ...['--header', `Authorization: Bearer ${apiKey}`],
    ...['--seed', String(seed), '--phases', phases.join(','), '--continue-on-failure'],
    ...['--max-examples', String(maxExamples)],
    // longer than the service lets any request wait
    ...['--request-timeout', '120'],
    // the findings of an earlier run would change this one
    ...['--generation-database', 'none'],
    ...['--report', 'ndjson,json'],
    ...['--report-ndjson-path', events, '--report-json-path', summary],
  ]);
  const read = (file: string): Promise<string> =>
    readFile(file, 'utf8').catch(() => {
      throw new Error(`schemathesis wrote no ${file}; it printed:\n${printed}`);
    });
  return {
    findings: findingsIn(await read(events)),
    // Decoding boundary: schemathesis has written it.
    summary: JSON.parse(await read(summary)) as FuzzSummary,
    printed,
  };
};

/** The directory of the module with which schemathesis sends NDJSON. It is not compiled. */
const hooks = fileURLToPath(new URL('../../src/fuzzing', import.meta.url));

/** A run that takes longer counts as hung, and is ended. */
const maxMs = scaledTimeout(5 * 60_000);

/** Runs a program to its end, whatever its exit code. Resolves to what it printed. */
const run = async (program: string, cwd: string, args: readonly string[]): Promise<string> => {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxMs,
    env: { ...process.env, PYTHONPATH: hooks, SCHEMATHESIS_HOOKS: 'ndjson_bodies' },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  }
  await once(child, 'close');
  return printed;
};
