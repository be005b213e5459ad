import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How many processors a standalone service has. */
const processors = 6;

const between = '@@ next step @@';

/** Replaces everything that differs from run to run. */
export const alike = (text) =>
  text
    .replace(/\b(aff|conv|whk|evt|acct|key|dlv|pay|run|bal)_[0-9a-z]{26}\b/g, '$1_…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/(payable_on\W+)\d{4}-\d\d-\d\d\b/g, '$1DAY')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/(position\W+)\d+/g, '$1N')
    // a session may run into the next minute or hour
    .replace(/^(minute_index .*): \d+/gm, '$1: N')
    .replace(/(lag_seconds\S* )[\d.e-]+/g, '$1N')
    .replace(/ +$/gm, '')
    .trim();

/**
 * What the session waits for where a reader of the document needs only a moment, since on a loaded
 * machine it can take longer.
 * - `printed`: a program in the background has printed something, for the documents' `sleep 1`.
 * - `handled`: every processor has handled the log's last event, before `ops verify`.
 * - `saved`: the dispatcher has also saved that, for the documents' `sleep 3`.
 */
const waits = `printed() { until [ "$(wc -c < "$OUTPUT")" -gt "$PRINTED_BEFORE" ]; do sleep 0.1; done; sleep 1; }
PRINTED_BEFORE=0
handled() {
  HEAD=$(ops tail --last 1 --json | grep -o '"position":"[0-9]*"' | grep -o '[0-9]*')
  until [ "$(curl -sS "$OPS_URL/metrics" | grep -c "^refledger_processor_position{.*} $HEAD$")" = ${processors} ]; do sleep 0.1; done
}
saved() { handled; until ops verify --webhooks | grep -q "up to position $HEAD:"; do :; done; }
`;

/**
 * Runs the `<!-- session -->` blocks of a document in one shell, after `own` has adapted each.
 * Returns the output of each.
 */
export const playSession = (document, { own, folder, env }) => {
  const blocks = [...document.matchAll(/<!-- session -->\n```sh\n([^]*?)```/g)].map(([, block]) =>
    own(block)
      .replace(/\bsleep 1$/gm, 'printed')
      .replace(/\bsleep 3$/gm, 'saved')
      .replace(/^ops verify\b/gm, 'handled; $&'),
  );
  const script = [
    "trap 'kill $(jobs -p) 2> /dev/null; wait' EXIT\n",
    waits,
    blocks.join(`\necho '${between}'; PRINTED_BEFORE=$(wc -c < "$OUTPUT")\n`),
  ].join('');
  const output = join(folder, 'output');
  const written = openSync(output, 'a');
  const { stderr, status } = spawnSync('bash', ['-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...env, OUTPUT: output },
    stdio: ['ignore', written, 'pipe'],
    timeout: 600_000,
  });
  closeSync(written);
  const stdout = readFileSync(output, 'utf8');
  if (status !== 0) throw new Error(`the session failed: ${stderr}${stdout}`);
  // CSV has CRLF, a document does not
  return stdout
    .replaceAll('\r\n', '\n')
    .split(`${between}\n`)
    .map((step) => step.trimEnd());
};

const answers = /<!-- answer -->\n(?:```\n([^]*?)```\n)?/;

/** The steps whose output differs from the document, except for ids and times. */
export const differences = (name, document, outputs) =>
  document
    .split('<!-- session -->')
    .slice(1)
    .flatMap((step, index) => {
      const expected = answers.exec(step)?.[1] ?? '';
      return alike(expected) === alike(outputs[index])
        ? []
        : [`step ${index + 1}: ${name} has\n${expected}\nbut the output is\n${outputs[index]}`];
    });

/** The document with this output as its answers. */
export const withAnswers = (document, outputs) => {
  const [head, ...steps] = document.split('<!-- session -->');
  return [
    head,
    ...steps.map((step, index) =>
      step.replace(answers, () => `<!-- answer -->\n\`\`\`\n${outputs[index]}\n\`\`\`\n`),
    ),
  ].join('<!-- session -->');
};
