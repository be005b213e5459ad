// `npm run generate`, after a build: writes docs/errors.md, docs/openapi.json, docs/asyncapi.json
// and the table of docs/configuration.md from the code, and libs/contracts/src/currency-table.ts from
// the lists of ISO 4217. With --check it only compares, and fails if there is a difference.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asyncApiDocument, errorsMarkdown, openApiDocument } from '../libs/contracts/dist/index.js';
import { configurationTable } from '../libs/platform/dist/index.js';
import { currencyTable } from './currencies/currency-table.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const check = process.argv.includes('--check');

const configuration = readFileSync(join(root, 'docs/configuration.md'), 'utf8');

const generated = {
  'libs/contracts/src/currency-table.ts': currencyTable(),
  'docs/configuration.md': configuration.replace(
    /(<!-- configuration.*-->\n)[^]*?(<!-- \/configuration -->)/,
    (_all, begin, end) => `${begin}${configurationTable()}\n${end}`,
  ),
  'docs/errors.md': errorsMarkdown(),
  'docs/asyncapi.json': `${JSON.stringify(asyncApiDocument({ version }), null, 2)}\n`,
  'docs/openapi.json': `${JSON.stringify(openApiDocument({ version }), null, 2)}\n`,
};

const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
};

for (const [file, text] of Object.entries(generated)) {
  const path = join(root, file);
  if (read(path) === text) continue;
  if (check) {
    console.error(
      `${relative(process.cwd(), path)} differs from the code. Run: npm run build && npm run generate`,
    );
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`wrote ${file}`);
  }
}
