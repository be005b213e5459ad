import { spawnSync } from 'node:child_process';

const between = '@@ next step @@';

/** Replaces everything that differs from run to run. */
export const alike = (text) =>
  text
    .replace(/\b(aff|conv|whk|evt|acct|key|dlv|pay|run|bal)_[0-9a-z]{26}\b/g, '$1_…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/(payable_on\W+)\d{4}-\d\d-\d\d\b/g, '$1DAY')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/(position\W+)\d+/g, '$1N')
    // a session may last until the next minute, or hour
    .replace(/^(minute_marks .*): \d+/gm, '$1: N')
    .replace(/(lag_seconds\S* )[\d.e-]+/g, '$1N')
    .replace(/ +$/gm, '')
    .trim();

/**
 * Runs the `<!-- session -->` blocks of a document in one shell, after `own` has adapted each.
 * Returns the output of each.
 */
export const playSession = (document, { own, folder, env }) => {
  const blocks = [...document.matchAll(/<!-- session -->\n```sh\n([^]*?)```/g)].map(([, block]) =>
    own(block),
  );
  const script = [
    "trap 'kill $(jobs -p) 2> /dev/null' EXIT\n",
    blocks.join(`\necho '${between}'\n`),
  ].join('');
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env,
    timeout: 240_000,
  });
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
