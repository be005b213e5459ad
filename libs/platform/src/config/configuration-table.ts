import { z } from 'zod';
import { environmentSchema } from './config.js';

/**
 * Returns the table of docs/configuration.md, in Markdown, from the schema that reads the
 * environment.
 */
export const configurationTable = (): string => {
  const { properties = {} } = z.toJSONSchema(environmentSchema, {
    io: 'input',
    unrepresentable: 'any',
  });
  const rows = Object.entries(properties).map(([name, property]) =>
    typeof property === 'boolean'
      ? ''
      : `| \`${name}\` | ${shown(property.default)} | ${property.description} |`,
  );
  return ['| variable | default | what it is |', '|---|---|---|', ...rows].join('\n');
};

const shown = (value: unknown): string => (typeof value === 'string' ? `\`${value}\`` : '');
