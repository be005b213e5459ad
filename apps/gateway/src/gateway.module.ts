import { tmpdir } from 'node:os';
import { Module, type DynamicModule } from '@nestjs/common';
import {
  AdjustmentCommands,
  AffiliateCommands,
  CommandHandler,
  Consistency,
  ConversionCommands,
  PacedReads,
  PayoutRunCommands,
  PositionsAtTimes,
  Quotes,
  RecordHistory,
} from '@refledger/application';
import type { Config } from '@refledger/platform';
import { Payouts } from '@refledger/balances';
import {
  storedMarks,
  BalanceLedger,
  CurrentBalances,
  Entries,
  PastBalances,
  Statements,
  RunPreviews,
  type RecordReadsParts,
} from '@refledger/queries';
import { AccountsController } from './accounts/accounts.controller.js';
import { ApiKeys } from './accounts/api-keys.js';
import { ApiKeysController } from './accounts/api-keys.controller.js';
import { AdjustmentsController } from './adjustments/adjustments.controller.js';
import { AffiliatesController } from './affiliates/affiliates.controller.js';
import { ConversionsController } from './conversions/conversions.controller.js';
import { SalesWithoutTerms } from './conversions/sales-without-terms.js';
import { balanceReads } from './balances/balance-reads.js';
import { BalancesController } from './balances/balances.controller.js';
import { EntriesController } from './balances/entries.controller.js';
import { EntryLists } from './payouts/entry-lists.js';
import { RunFiles } from './payouts/files/run-files.js';
import { PayoutRunsController } from './payouts/payout-runs.controller.js';
import { PayoutsController } from './payouts/payouts.controller.js';
import { LedgerStreams } from './balances/ledger-streams.js';
import { RecordReads } from './history/record-reads.js';
import { Imports } from './imports/imports.js';
import { KeyUseRecorder } from './accounts/key-use-recorder.js';
import { KeyRegistry } from './accounts/key-registry.js';
import { StatementsController } from './statements/statements.controller.js';
import { ProgramsController } from './programs/programs.controller.js';
import { TermsVersions } from './programs/terms-versions.js';
import type { GatewayParts } from './gateway-parts.js';
import { configToken } from './tokens.js';
import { ReadModels } from './read-models.js';
import { RecordChanges } from './record-changes.js';
import { EndpointCommands } from './webhooks/endpoint-commands.js';
import { webhookProviders } from './webhooks/webhook-providers.js';
import { WebhookSecretsController } from './webhooks/webhook-secrets.controller.js';
import { ReplaysController } from './webhooks/replays.controller.js';
import { DeliveriesController } from './webhooks/deliveries.controller.js';
import { WebhookStatsController } from './webhooks/webhook-stats.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

export const controllers = [
  ConversionsController,
  AffiliatesController,
  ProgramsController,
  AdjustmentsController,
  BalancesController,
  EntriesController,
  StatementsController,
  PayoutsController,
  PayoutRunsController,
  WebhooksController,
  WebhookSecretsController,
  WebhookStatsController,
  DeliveriesController,
  ReplaysController,
  AccountsController,
  ApiKeysController,
] as const;

/** The Nest module of the gateway. */
@Module({})
export class GatewayModule {
  static with(parts: GatewayParts): DynamicModule {
    const pacedReads = new PacedReads(parts.waits);
    const recordReadsParts = partsOfRecordReads(parts, pacedReads);
    const balances = balanceReads(parts, recordReadsParts, pacedReads);
    return {
      module: GatewayModule,
      controllers: [...controllers],
      providers: [
        { provide: configToken, useValue: parts.config },
        ...keyProviders(parts),
        { provide: CommandHandler, useValue: parts.commands },
        { provide: Consistency, useValue: parts.consistency },
        {
          provide: ReadModels,
          useFactory: (consistency: Consistency) => new ReadModels(parts.store, consistency),
          inject: [Consistency],
        },
        changing(RecordChanges),
        changing(EndpointCommands),
        { provide: RecordReads, useFactory: () => new RecordReads(recordReadsParts) },
        { provide: TermsVersions, useFactory: () => new TermsVersions(recordReadsParts) },
        { provide: Entries, useValue: balances.entries },
        { provide: CurrentBalances, useValue: balances.current },
        { provide: PastBalances, useValue: balances.past },
        { provide: BalanceLedger, useValue: balances.ledger },
        { provide: LedgerStreams, useValue: balances.streams },
        { provide: Statements, useValue: balances.statements },
        { provide: Payouts, useValue: balances.payouts },
        { provide: EntryLists, useValue: balances.entryLists },
        { provide: RunFiles, useValue: balances.runFiles },
        { provide: RunPreviews, useValue: balances.runPreviews },
        ...webhookProviders(parts, recordReadsParts, pacedReads),
        { provide: Imports, useValue: importsOf(parts) },
        {
          provide: AffiliateCommands,
          useFactory: (commands: CommandHandler, { programAutoRegister }: Config) =>
            new AffiliateCommands(commands, programAutoRegister),
          inject: [CommandHandler, configToken],
        },
        commanding(ConversionCommands),
        { provide: SalesWithoutTerms, useValue: new SalesWithoutTerms(parts) },
        commanding(AdjustmentCommands),
        commanding(PayoutRunCommands),
        {
          provide: Quotes,
          useFactory: (commands: CommandHandler) => new Quotes(parts.log, commands),
          inject: [CommandHandler],
        },
      ],
    };
  }
}

const keyProviders = ({ registry, keys, uses }: GatewayParts) => [
  { provide: KeyRegistry, useValue: registry },
  { provide: ApiKeys, useValue: keys },
  { provide: KeyUseRecorder, useValue: uses },
];

/** A provider of commands of one kind. */
const commanding = <T>(Commands: new (commands: CommandHandler) => T) => ({
  provide: Commands,
  useFactory: (commands: CommandHandler) => new Commands(commands),
  inject: [CommandHandler],
});

/** A provider of changes that the account's next reads see. */
const changing = <T>(Changes: new (commands: CommandHandler, consistency: Consistency) => T) => ({
  provide: Changes,
  useFactory: (commands: CommandHandler, consistency: Consistency) =>
    new Changes(commands, consistency),
  inject: [CommandHandler, Consistency],
});

const partsOfRecordReads = (
  { config, log, store, registry: keys, commands, consistency }: GatewayParts,
  pacedReads: PacedReads,
): RecordReadsParts => {
  const marks = storedMarks(store, consistency);
  const { consistencyTimeoutMs: timeoutMs } = config.http;
  const times = new PositionsAtTimes({ log, marks, pacedReads, timeoutMs });
  return { past: new RecordHistory(log, pacedReads), commands, consistency, keys, times };
};

const importsOf = ({ config, consistency, metrics, logger }: GatewayParts): Imports => {
  // only the embedded service has a data folder
  const folder = config.engines.mode === 'embedded' ? config.dataDir : tmpdir();
  return new Imports({
    consistency,
    metrics,
    logger,
    folder,
    maxBytes: config.http.maxImportBytes,
  });
};
