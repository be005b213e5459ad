import { Controller } from '@nestjs/common';
import {
  derivedId,
  laterOf,
  newId,
  programList,
  streams,
  type AccountId,
  type ProgramId,
} from '@refledger/contracts';
import { programDecider, programRecord } from '@refledger/domain';
import { CommandHandler, Consistency, Quotes } from '@refledger/application';
import { programsProjection } from '@refledger/projections';
import { ReadModels } from '@refledger/queries';
import { RecordReads, type ReadsOfKind } from '../history/record-reads.js';
import type { ApiResponse, Call } from '../http/request/call.js';
import { Operation } from '../http/operation.decorator.js';
import { listPage } from '../lists/list-page.js';
import { filtersOf } from '../lists/list-query.js';
import { RecordChanges } from '../record-changes.js';
import { positionHeader, recordReader, recordResponse } from '../records.js';
import { TermsVersions } from './terms-versions.js';

/** The operations on programs. */
@Controller()
export class ProgramsController {
  private readonly reads: ReadsOfKind<ProgramId>;

  constructor(
    private readonly commands: CommandHandler,
    private readonly changes: RecordChanges,
    private readonly consistency: Consistency,
    private readonly readModels: ReadModels,
    private readonly termsVersions: TermsVersions,
    private readonly quotes: Quotes,
    recordReads: RecordReads,
  ) {
    this.reads = recordReads.of(programRecords);
  }

  @Operation('listPrograms')
  list(call: Call<'listPrograms'>): Promise<ApiResponse> {
    return listPage(this.readModels, programsProjection, call, {
      filters: filtersOf(programList, call.caller.accountId, call.query),
    });
  }

  @Operation('createProgram')
  async create({
    caller: { accountId },
    body: { id: chosen, ...program },
    context,
    idempotencyKey,
  }: Call<'createProgram'>): Promise<ApiResponse> {
    const id =
      chosen ??
      (idempotencyKey === undefined
        ? newId('program')
        : derivedId('program', accountId, 'idempotency_key', idempotencyKey));
    const outcome = await this.commands.run({
      stream: streams.program(accountId, id),
      decider: programDecider,
      context,
      command: { type: 'create', program_id: id, program, isIdChosen: chosen !== undefined },
    });
    this.consistency.wrote(accountId, outcome.position);
    return recordResponse(
      record(id, outcome, accountId),
      outcome,
      outcome.events.length > 0 ? 'created' : 'replayed',
    );
  }

  @Operation('getProgram')
  get(call: Call<'getProgram'>): Promise<ApiResponse> {
    return this.reads.get(call);
  }

  @Operation('getProgramHistory')
  history(call: Call<'getProgramHistory'>): Promise<ApiResponse> {
    return this.reads.history(call);
  }

  @Operation('updateProgram')
  update(call: Call<'updateProgram'>): Promise<ApiResponse> {
    return this.changes.change(programRecords, call, {
      type: 'update',
      program_id: call.id,
      patch: call.body,
    });
  }

  @Operation('listProgramTerms')
  terms(call: Call<'listProgramTerms'>): Promise<ApiResponse> {
    return this.termsVersions.list(call);
  }

  @Operation('quoteSale')
  async quote({ caller, id, body, minPosition }: Call<'quoteSale'>): Promise<ApiResponse> {
    const { accountId } = caller;
    if (minPosition !== undefined) await this.consistency.settleLog(caller, minPosition);
    const loaded = await this.commands.load(programDecider, streams.program(accountId, id));
    record(id, loaded, accountId);
    return {
      status: 200,
      body: await this.quotes.quote(accountId, id, loaded.state, body),
      headers: positionHeader(laterOf(loaded.position, minPosition)),
    };
  }
}

const record = recordReader('program', programRecord);

/** How programs are read and changed. */
const programRecords = {
  kind: 'program',
  stream: (id: ProgramId, account: AccountId) => streams.program(account, id),
  decider: programDecider,
  recordOf: programRecord,
} as const;
