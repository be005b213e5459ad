import { Controller, Inject } from '@nestjs/common';
import {
  derivedId,
  newId,
  streams,
  type AffiliateId,
  type AffiliateRecord,
} from '@refledger/contracts';
import { affiliateDecider, affiliateRecord, type AffiliateState } from '@refledger/domain';
import { CommandHandler, type Loaded } from '@refledger/event-log';
import {
  affiliateFromDocument,
  affiliatesProjection,
  affiliateStatsProjection,
  emailKey,
  statsFromDocument,
} from '@refledger/projections';
import { Consistency } from '../consistency.js';
import type { Answer, Call } from '../http/call.js';
import { requireRevision } from '../http/if-match.js';
import { Operation } from '../http/operation.decorator.js';
import { equals } from '../lists/list-query.js';
import { ReadModels, rewritten } from '../read-models.js';
import { ofAccount, positionHeader, recordAnswer, requireRecord } from '../records.js';
import { AffiliateCommands } from './affiliate-commands.js';

@Controller()
export class AffiliatesController {
  constructor(
    @Inject(CommandHandler) private readonly commands: CommandHandler,
    @Inject(AffiliateCommands) private readonly affiliates: AffiliateCommands,
    @Inject(Consistency) private readonly consistency: Consistency,
    @Inject(ReadModels) private readonly readModels: ReadModels,
  ) {}

  @Operation('listAffiliates')
  list(call: Call<'listAffiliates'>): Promise<Answer> {
    const { program_id, status, email } = call.query;
    const filters = equals({
      account_id: call.caller.accountId,
      program_id,
      status,
      email_key: email === undefined ? undefined : emailKey(email),
    });
    return this.readModels.list(affiliatesProjection, call, {
      filters,
      recordsJson: rewritten(affiliateFromDocument),
    });
  }

  @Operation('createAffiliate')
  async create({
    caller,
    body,
    context,
    idempotencyKey,
  }: Call<'createAffiliate'>): Promise<Answer> {
    const id =
      idempotencyKey === undefined
        ? newId('affiliate')
        : derivedId('affiliate', caller.accountId, 'idempotency_key', idempotencyKey);
    const { email, name, program_id, metadata = {} } = body;
    const outcome = await this.affiliates.run({
      command: { type: 'create', affiliate_id: id, email, name, program_id, metadata },
      context,
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    return recordAnswer(
      this.record(id, outcome, caller.accountId),
      outcome,
      outcome.events.length > 0 ? 'created' : 'replayed',
    );
  }

  @Operation('getAffiliate')
  async get({ caller, id, minPosition }: Call<'getAffiliate'>): Promise<Answer> {
    if (minPosition !== undefined) await this.consistency.settleLog(caller, minPosition);
    const loaded = await this.commands.load(affiliateDecider, streams.affiliate(id as AffiliateId));
    return recordAnswer(this.record(id, loaded, caller.accountId), loaded, 'read', minPosition);
  }

  @Operation('updateAffiliate')
  async update({ caller, id, body, context, ifMatch }: Call<'updateAffiliate'>): Promise<Answer> {
    const outcome = await this.affiliates.run({
      command: { type: 'update', affiliate_id: id as AffiliateId, patch: body },
      context,
      precondition: (loaded) => {
        this.record(id, loaded, caller.accountId);
        requireRevision(ifMatch, loaded.revision);
      },
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    return recordAnswer(this.record(id, outcome, caller.accountId), outcome, 'changed');
  }

  @Operation('deleteAffiliate')
  async delete({ caller, id, context, ifMatch }: Call<'deleteAffiliate'>): Promise<Answer> {
    const outcome = await this.affiliates.run({
      command: { type: 'delete', affiliate_id: id as AffiliateId },
      context,
      precondition: (loaded) => {
        this.record(id, loaded, caller.accountId);
        requireRevision(ifMatch, loaded.revision);
      },
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    return { status: 204, headers: positionHeader(outcome.position) };
  }

  @Operation('getAffiliateStats')
  async stats(call: Call<'getAffiliateStats'>): Promise<Answer> {
    const { caller, id } = call;
    const { value, position } = await this.readModels.get(affiliateStatsProjection, id, call);
    const stats =
      value?.['account_id'] === caller.accountId && position !== undefined
        ? statsFromDocument(value, position)
        : undefined;
    return {
      status: 200,
      body: requireRecord('affiliate', id, stats),
      headers: positionHeader(position),
    };
  }

  private record(id: string, loaded: Loaded<AffiliateState>, account: string): AffiliateRecord {
    return requireRecord(
      'affiliate',
      id,
      ofAccount(loaded, account) ? affiliateRecord(loaded.state) : undefined,
    );
  }
}
