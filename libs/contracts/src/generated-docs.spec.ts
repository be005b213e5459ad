import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncApiDocument } from './openapi/asyncapi.js';
import { errorsMarkdown } from './problems/errors-page.js';
import { openApiDocument } from './openapi/openapi.js';
import { problemCodes } from './problems/problems.js';

const read = (path: string) => readFileSync(join(__dirname, '../../..', path), 'utf8');

// When one of these fails, run `npm run build && npm run generate`.
it('docs/errors.md matches the code', () => expect(read('docs/errors.md')).toBe(errorsMarkdown()));

it('docs/openapi.json matches the code', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(JSON.parse(read('docs/openapi.json'))).toEqual(
    JSON.parse(JSON.stringify(openApiDocument({ version }))),
  );
});

it('docs/asyncapi.json matches the code', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(JSON.parse(read('docs/asyncapi.json'))).toEqual(
    JSON.parse(JSON.stringify(asyncApiDocument({ version }))),
  );
});

it('the list of problem codes, the document and docs/errors.md are equal', () => {
  const document = JSON.parse(read('docs/openapi.json')) as {
    components: { schemas: { Problem: { properties: { code: { enum: string[] } } } } };
  };
  const listed = [...read('docs/errors.md').matchAll(/^## (.+)$/gm)].map(([, code]) => code);
  expect(listed).toEqual(Object.keys(problemCodes));
  expect(document.components.schemas.Problem.properties.code.enum).toEqual(listed);
});
