import { errorsHtml, errorsMarkdown } from './errors-page.js';
import { problemCodes } from './problems.js';

const codes = Object.keys(problemCodes);

it('has a section for every code, in both forms, and no other', () => {
  expect([...errorsMarkdown().matchAll(/^## (.+)$/gm)].map(([, code]) => code)).toEqual(codes);
  expect([...errorsHtml().matchAll(/<h2 id="(.+?)">/g)].map(([, code]) => code)).toEqual(codes);
});

it.each(Object.entries(problemCodes))(
  '%s: shows status, title and advice',
  (code, { status, title, advice }) => {
    expect(errorsMarkdown()).toContain(`| [\`${code}\`](#${code}) | ${status} | ${title} |`);
    expect(errorsMarkdown()).toContain(`## ${code}\n\n**${title}**, status ${status}. ${advice}\n`);
    expect(errorsHtml()).toContain(
      `<h2 id="${code}">${code}</h2>\n<p><strong>${title}</strong>, status ${status}.`,
    );
  },
);

it('escapes HTML, and marks code', () => {
  expect(errorsHtml()).toContain(
    'Send <code>Authorization: Bearer &lt;API_KEY&gt;</code> with a key',
  );
  expect(errorsHtml()).not.toMatch(/<API_KEY>|src=|href=/);
});
