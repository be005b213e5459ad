import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commissionSchema } from './commission.js';

const { source, why } = commissionSchema.shape;
const document = readFileSync(join(__dirname, '../../../../docs/commissions.md'), 'utf8');

/** The first cells of the table with this heading, in code. */
const explained = (heading: string): (string | undefined)[] => {
  const table = new RegExp(`^\\| \`${heading}\` \\|.*\\n\\|.*\\n((?:\\|.*\\n)+)`, 'm').exec(
    document,
  );
  return Array.from(table?.[1]?.matchAll(/^\| `(\w+)`/gm) ?? [], ([, value]) => value);
};

it.each([
  ['source', source.options],
  ['why', why.options],
] as const)('docs/commissions.md explains every %s', (heading, options) => {
  expect(explained(heading).sort()).toEqual([...options].sort());
});
