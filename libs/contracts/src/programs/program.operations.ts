import { program } from './program.events.js';
import { programSchema } from './program.record.js';
import { quoteSchema } from './quote.record.js';
import { termsVersionSchema } from './terms-version.record.js';
import { history, list, read } from '../history/record-operations.js';
import { pageQuerySchema } from '../shared/list-spec.js';
import { programList } from './program.list.js';
import { createProgramSchema, quoteSaleSchema, updateProgramSchema } from './program.requests.js';
import { immutableIn, listOf, type OperationSpec } from '../shared/operation-spec.js';

export const programOperations = {
  listPrograms: list('/v1/programs', 'List programs', programList, programSchema),
  createProgram: {
    method: 'POST',
    path: '/v1/programs',
    scope: 'admin',
    summary: 'Create a program',
    idempotent: true,
    identifiedBy: 'id',
    etag: true,
    body: createProgramSchema,
    responses: { 201: programSchema, 200: programSchema },
    problems: ['program_exists', 'idempotency_key_reused'],
  },
  getProgram: read('/v1/programs/:id', 'program', 'Read a program', programSchema),
  updateProgram: {
    method: 'PATCH',
    path: '/v1/programs/:id',
    id: 'program',
    scope: 'admin',
    summary: 'Change a program',
    etag: true,
    body: updateProgramSchema,
    immutable: immutableIn(programSchema, updateProgramSchema),
    responses: { 200: programSchema },
    problems: ['too_many_revisions', 'revision_mismatch', 'immutable_field'],
  },
  listProgramTerms: {
    method: 'GET',
    path: '/v1/programs/:id/terms',
    id: 'program',
    scope: 'read',
    summary: "List the versions of a program's terms, newest first",
    query: pageQuerySchema,
    responses: { 200: listOf(termsVersionSchema, 'TermsVersionList') },
  },
  quoteSale: {
    method: 'POST',
    path: '/v1/programs/:id/quote',
    id: 'program',
    scope: 'read',
    summary: 'Read what a sale would earn, without recording anything',
    body: quoteSaleSchema,
    responses: { 200: quoteSchema },
    problems: ['affiliate_not_found', 'affiliate_not_active', 'program_not_active'],
  },
  getProgramHistory: history(
    '/v1/programs/:id/history',
    'program',
    'Read every change to a program',
    program,
  ),
} as const satisfies Record<string, OperationSpec>;
