import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publicEventTypes } from '@refledger/contracts';

const docs = join(__dirname, '../../../docs');
const page = readFileSync(join(docs, 'webhooks.md'), 'utf8');
const vectorsFile = join(docs, 'vectors/webhooks.json');

interface Verdict {
  readonly x_service_signature: boolean;
  readonly webhook_signature: boolean;
}
const { vectors } = JSON.parse(readFileSync(vectorsFile, 'utf8')) as {
  vectors: { name: string; expected: Verdict; only_the_time_is_wrong?: true }[];
};

const snippet = (marker: string): string =>
  new RegExp(`<!-- ${marker} -->\n\`\`\`\\w+\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'verifiers-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/**
 * Per language: the command that shows whether it is installed, and the command that runs the
 * documented functions, saved as `verify.<extension>`, over the test vectors.
 */
const languages = [
  { name: 'node', extension: 'mjs', probe: ['node', '--version'], run: ['node', 'run.mjs'] },
  { name: 'python', extension: 'py', probe: ['python3', '--version'], run: ['python3', 'run.py'] },
  { name: 'php', extension: 'php', probe: ['php', '--version'], run: ['php', 'run.php'] },
  { name: 'ruby', extension: 'rb', probe: ['ruby', '--version'], run: ['ruby', 'run.rb'] },
  {
    name: 'go',
    extension: 'go',
    probe: ['go', 'version'],
    run: ['go', 'run', 'run.go', 'verify.go'],
  },
  {
    name: 'openssl',
    extension: 'sh',
    probe: ['bash', '-c', 'openssl version && command -v od base64'],
    run: ['bash', 'run.sh'],
  },
];

for (const {
  name,
  extension,
  probe: [probe = '', ...probeArguments],
  run: [command = '', ...args],
} of languages) {
  const isInstalled = spawnSync(probe, probeArguments).status === 0;
  if (!isInstalled)
    console.warn(
      `SKIPPED: docs/webhooks.md is not tested for ${name}, which is not installed here.`,
    );

  (isInstalled ? it : it.skip)(
    `tells genuine deliveries from forged ones with the documented code for ${name}`,
    async () => {
      writeFileSync(join(directory, `verify.${extension}`), snippet(`verifier: ${name}`));
      copyFileSync(
        join(__dirname, 'verifiers', `run.${extension}`),
        join(directory, `run.${extension}`),
      );
      const { stdout } = await promisify(execFile)(command, [...args, vectorsFile], {
        cwd: directory,
        env: { ...process.env, GO111MODULE: 'off', PYTHONDONTWRITEBYTECODE: '1' },
      });
      const reported = JSON.parse(stdout) as Verdict[];
      // the openssl snippet shows the timestamp, but leaves its check to the reader
      const expected = vectors.map((vector) => ({
        vector: vector.name,
        ...vector.expected,
        ...(name === 'openssl' && vector.only_the_time_is_wrong && { webhook_signature: true }),
      }));
      expect(vectors.map((vector, index) => ({ vector: vector.name, ...reported[index] }))).toEqual(
        expected,
      );
    },
  );
}

it('names every event type on the page', () => {
  expect(publicEventTypes.filter((kind) => !page.includes(`\`${kind}\``))).toEqual([]);
});

const python =
  spawnSync('python3', ['-c', 'import sqlite3; assert sqlite3.sqlite_version_info >= (3, 35)'])
    .status === 0;
if (!python)
  console.warn(
    'SKIPPED: the statements of docs/webhooks.md are not tested, since python3 with SQLite 3.35 is not installed here.',
  );

(python ? it : it.skip)(
  'keeps the latest event despite duplicates, late events and revisions used again, with the documented statements',
  async () => {
    const [tables, seen, sale] = [
      /CREATE[^]*?;\nCREATE[^]*?;/,
      /INSERT INTO webhooks_seen[^]*?;/,
      /INSERT INTO sales[^]*?;/,
    ].map((statement) => statement.exec(snippet('statements: sqlite'))?.[0]);
    const program = `
import json, sqlite3, sys
tables, seen, sale = json.loads(sys.argv[1])
db = sqlite3.connect(":memory:")
db.executescript(tables)
fresh = []
kept = []
for id, minute, status, revision in [
    ("a", 1, "pending", 0), ("c", 2, "refunded", 2), ("b", 2, "approved", 1), ("c", 2, "refunded", 2),
    ("restored", 3, "approved", 1), ("lost", 2, "updated", 3)]:
    fresh.append(db.execute(seen, {"webhook_id": id}).fetchone() is not None)
    time = f"2026-01-31T09:0{minute}:00.000Z"
    db.execute(sale, {"id": "conv", "status": status, "amount": 1, "timestamp": time, "revision": revision})
    kept.append(db.execute("SELECT status, revision FROM sales").fetchone())
print(json.dumps([fresh, kept]))`;
    const { stdout } = await promisify(execFile)('python3', [
      '-c',
      program,
      JSON.stringify([tables, seen, sale]),
    ]);
    const [pending, refunded, restored] = [
      ['pending', 0],
      ['refunded', 2],
      ['approved', 1],
    ];
    expect(JSON.parse(stdout)).toEqual([
      [true, true, true, false, true, true],
      [pending, refunded, refunded, refunded, restored, restored],
    ]);
  },
);
