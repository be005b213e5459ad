import { problemCodes } from './problems.js';

/** Returns docs/errors.md: every problem code, each with its own anchor. */
export const errorsMarkdown = (): string =>
  [
    '# Errors',
    '',
    'Every error is `application/problem+json` (RFC 9457). `code` is stable; `type` links to its section here; `detail` says what was wrong this time, and `errors`, if present, lists every issue.',
    'This page is generated from the one list in the code (`npm run generate`).',
    '',
    '| code | status | title |',
    '|---|---|---|',
    ...entries.map(
      ({ code, status, title }) => `| [\`${code}\`](#${code}) | ${status} | ${title} |`,
    ),
    ...entries.flatMap(({ code, status, title, advice }) => [
      '',
      `## ${code}`,
      '',
      `**${title}**, status ${status}. ${advice}`,
    ]),
    '',
  ].join('\n');

/** Returns the same list as a self-contained HTML page, which `/docs/errors` serves. */
export const errorsHtml = (): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors · Refledger</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733; background: #fff }
  h2 { font: 600 1.1rem ui-monospace, monospace; margin: 2rem 0 .25rem; scroll-margin-top: 1rem }
  h2:target { background: #fff3c4 }
  code { font-family: ui-monospace, monospace }
  p { margin: .25rem 0 }
</style>
<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457). <code>code</code> is stable; <code>detail</code> says what was wrong this time, and <code>errors</code>, if present, lists every issue.</p>
${entries.map(({ code, status, title, advice }) => `<h2 id="${code}">${code}</h2>\n<p><strong>${inHtml(title)}</strong>, status ${status}. ${inHtml(advice)}</p>`).join('\n')}
</html>
`;

const entries = Object.entries(problemCodes).map(([code, problem]) => ({ code, ...problem }));

/** Escapes text for HTML and turns backticks into `<code>`. */
const inHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>');
