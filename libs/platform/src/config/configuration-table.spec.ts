import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationTable } from './configuration-table.js';

it('stands in the README as it is in the code: after a change run `npm run build && npm run generate`', () => {
  const readme = readFileSync(join(__dirname, '../../../../README.md'), 'utf8');
  expect(/<!-- configuration.*-->\n([^]*?)\n<!-- \/configuration -->/.exec(readme)?.[1]).toBe(
    configurationTable(),
  );
});
