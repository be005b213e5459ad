import { z } from 'zod';
import { problemSchema } from '../problems/problem-schema.js';
import { countOf, objectOf } from '../shared/record-fields.js';

const line = z.int().min(1).describe('The number of the line in the request, from 1.');

const importedSchema = z
  .strictObject({
    line,
    status: z.literal(200).describe('The line was accepted.'),
    id: z.string().describe('The record that the line names.'),
    updated: z.literal(true).optional().describe('The line has changed the record.'),
    replayed: z.literal(true).optional().describe('There was nothing to change.'),
  })
  .meta({ id: 'ImportedLine' });

const refusedSchema = z
  .strictObject({
    line,
    status: z.int().min(400).describe('The status of the problem.'),
    problem: problemSchema.describe('Why the line was refused.'),
  })
  .meta({ id: 'RefusedLine' });

/** The last line. If it is missing, the response was cut off: send the file again. */
const importEndSchema = z
  .strictObject({
    object: objectOf('end'),
    lines: countOf('How many results came before this line.'),
    created: countOf('The lines that made a record; 0 in an import of payouts.'),
    replayed: countOf('The lines that had nothing to change.'),
    updated: countOf('The lines that changed a record.'),
    failed: countOf('The lines that were refused.'),
    position: z.string().describe('The position in the log that reflects every change.'),
    problem: problemSchema
      .optional()
      .describe('Why the rest of the request was not read. The lines before it are done.'),
  })
  .meta({ id: 'ImportEnd' });

/** A line of the response to an import: the result of one line of the request, or the end. */
export const importLineSchema = z
  .union([importedSchema, refusedSchema, importEndSchema])
  .meta({ id: 'ImportLine' });
export type ImportedLine = z.infer<typeof importedSchema>;
export type RefusedLine = z.infer<typeof refusedSchema>;
export type ImportEnd = z.infer<typeof importEndSchema>;
