import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationTable } from './configuration-table.js';

it('matches docs/configuration.md; after a change run `npm run build && npm run generate`', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/configuration.md'), 'utf8');
  expect(/<!-- configuration.*-->\n([^]*?)\n<!-- \/configuration -->/.exec(page)?.[1]).toBe(
    configurationTable(),
  );
});
