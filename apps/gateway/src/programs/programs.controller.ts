import { Controller } from '@nestjs/common';
import {
  laterOf,
  programList,
  streams,
  type AccountId,
  type ProgramId,
} from '@refledger/contracts';
import { programDecider, programRecord } from '@refledger/domain';
import { CommandHandler, Quotes } from '@refledger/application';
import { programsProjection } from '@refledger/projections';
import { TermsVersions } from '@refledger/queries';
import { historyPage } from '../history/history-page.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { listResponse, valueResponse } from '../http/responses.js';
import { newRecordId } from '../records/new-record-id.js';
import { Records, RecordsParts, type RecordsOf } from '../records/records.js';

@Controller()
export class ProgramsController {
  private readonly records: RecordsOf<typeof programs>;

  constructor(
    parts: RecordsParts,
    private readonly commands: CommandHandler,
    private readonly termsVersions: TermsVersions,
    private readonly quotes: Quotes,
  ) {
    this.records = new Records(programs, parts);
  }

  @Operation('listPrograms')
  list(call: Call<'listPrograms'>): Promise<ApiResponse> {
    return this.records.list(call);
  }

  @Operation('createProgram')
  async create(call: Call<'createProgram'>): Promise<ApiResponse> {
    const { caller, context, idempotencyKey: idempotency_key } = call;
    const { id: chosen, ...program } = call.body;
    const id = chosen ?? newRecordId('program', caller.accountId, { idempotency_key });
    const outcome = await this.commands.run({
      stream: streams.program(caller.accountId, id),
      decider: programDecider,
      context,
      command: { type: 'create', program_id: id, program, isIdChosen: chosen !== undefined },
    });
    return this.records.created(call, id, outcome);
  }

  @Operation('getProgram')
  get(call: Call<'getProgram'>): Promise<ApiResponse> {
    return this.records.get(call);
  }

  @Operation('getProgramHistory')
  history(call: Call<'getProgramHistory'>): Promise<ApiResponse> {
    return this.records.history(call);
  }

  @Operation('updateProgram')
  update(call: Call<'updateProgram'>): Promise<ApiResponse> {
    return this.records.update(call, {
      type: 'update',
      program_id: call.id,
      patch: call.body,
    });
  }

  @Operation('listProgramTerms')
  async terms(call: Call<'listProgramTerms'>): Promise<ApiResponse> {
    const { id, query, minPosition } = call;
    const { state, position } = await this.records.load(call);
    const revisions = state.kind === 'present' ? state.termsRevisions : [];
    const page = historyPage(query, `terms of ${id}`, revisions.length - 1);
    const versions = await this.termsVersions.versions(call, revisions, page);
    return listResponse([...versions].reverse(), page.nextCursor, laterOf(position, minPosition));
  }

  @Operation('quoteSale')
  async quote(call: Call<'quoteSale'>): Promise<ApiResponse> {
    const { caller, id, body, minPosition } = call;
    const { state, position } = await this.records.load(call);
    return valueResponse(
      await this.quotes.quote(caller.accountId, id, state, body),
      laterOf(position, minPosition),
    );
  }
}

const programs = {
  kind: 'program',
  stream: (id: ProgramId, account: AccountId) => streams.program(account, id),
  decider: programDecider,
  recordOf: programRecord,
  projection: programsProjection,
  listSpec: programList,
} as const;
