import { Controller, Inject } from '@nestjs/common';
import { derivedId, newId, streams, type AffiliateId, type AffiliateRecord } from '@refledger/contracts';
import { affiliateDecider, affiliateRecord, type AffiliateState } from '@refledger/domain';
import { CommandRunner, type Loaded } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { affiliateFromDocument, affiliatesView, affiliateStatsView, statsFromDocument } from '@refledger/views';
import { Consistency } from '../consistency.js';
import { requireRevision, type Answer, type Call } from '../http/call.js';
import { Operation } from '../http/operation.decorator.js';
import { equals, listQuery } from '../lists/list-query.js';
import { ofAccount, positionHeader, recordAnswer, requireRecord } from '../records.js';
import { readStoreToken } from '../tokens.js';
import { AffiliateCommands } from './affiliate-commands.js';

@Controller()
export class AffiliatesController {
  constructor(
    @Inject(CommandRunner) private readonly commands: CommandRunner,
    @Inject(AffiliateCommands) private readonly affiliates: AffiliateCommands,
    @Inject(Consistency) private readonly consistency: Consistency,
    @Inject(readStoreToken) private readonly store: ReadStore,
  ) {}

  @Operation('listAffiliates')
  async list({ caller, query, minPosition }: Call<'listAffiliates'>): Promise<Answer> {
    await this.consistency.settle(affiliatesView, caller.accountId, minPosition);
    const { program_id, status, email } = query;
    const list = listQuery(query, { name: 'affiliates', filters: equals({ account_id: caller.accountId, program_id, status, email_key: email?.toLowerCase() }) });
    const { value, position } = await this.store.find(affiliatesView, this.consistency.logId, 'affiliates', list.query);
    return { status: 200, body: list.page(value.map(affiliateFromDocument)), headers: positionHeader(position) };
  }

  @Operation('createAffiliate')
  async create({ caller, body, context, idempotencyKey }: Call<'createAffiliate'>): Promise<Answer> {
    const id = idempotencyKey === undefined ? newId('affiliate') : derivedId('affiliate', caller.accountId, 'idempotency_key', idempotencyKey);
    const { email, name, program_id, metadata = {} } = body;
    const outcome = await this.affiliates.run({
      command: { type: 'create', affiliate_id: id, email, name, program_id, metadata },
      context: { ...context, accountId: caller.accountId },
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    return recordAnswer(this.record(id, outcome, caller.accountId), outcome, outcome.events.length > 0 ? 'created' : 'replayed');
  }

  @Operation('getAffiliate')
  async get({ caller, id, minPosition }: Call<'getAffiliate'>): Promise<Answer> {
    await this.consistency.settleLog(minPosition);
    const loaded = await this.commands.load(affiliateDecider, streams.affiliate(id as AffiliateId));
    return recordAnswer(this.record(id, loaded, caller.accountId), loaded, 'read', minPosition);
  }

  @Operation('updateAffiliate')
  async update({ caller, id, body, context, ifMatch }: Call<'updateAffiliate'>): Promise<Answer> {
    const outcome = await this.affiliates.run({
      command: { type: 'update', affiliate_id: id as AffiliateId, patch: body },
      context: { ...context, accountId: caller.accountId },
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
      context: { ...context, accountId: caller.accountId },
      precondition: (loaded) => {
        this.record(id, loaded, caller.accountId);
        requireRevision(ifMatch, loaded.revision);
      },
    });
    this.consistency.wrote(caller.accountId, outcome.position);
    return { status: 204, headers: positionHeader(outcome.position) };
  }

  @Operation('getAffiliateStats')
  async stats({ caller, id, minPosition }: Call<'getAffiliateStats'>): Promise<Answer> {
    await this.consistency.settle(affiliateStatsView, caller.accountId, minPosition);
    const { value, position } = await this.store.get(affiliateStatsView, this.consistency.logId, 'affiliate_stats', id);
    const stats = value?.['account_id'] === caller.accountId && position !== undefined ? statsFromDocument(value, position) : undefined;
    return { status: 200, body: requireRecord('affiliate', id, stats), headers: positionHeader(position) };
  }

  private record(id: string, loaded: Loaded<AffiliateState>, account: string): AffiliateRecord {
    return requireRecord('affiliate', id, ofAccount(loaded, account) ? affiliateRecord(loaded.state) : undefined);
  }
}
