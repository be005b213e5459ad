import { Module, type DynamicModule, type ValueProvider } from '@nestjs/common';
import { AccountsModule } from './accounts/accounts.module.js';
import { AdjustmentsModule } from './adjustments/adjustments.module.js';
import { AffiliatesModule } from './affiliates/affiliates.module.js';
import { BalancesModule } from './balances/balances.module.js';
import { ConversionsModule } from './conversions/conversions.module.js';
import { CoreModule } from './core.module.js';
import { PayoutsModule } from './payouts/payouts.module.js';
import { ProgramsModule } from './programs/programs.module.js';
import { StatementsModule } from './statements/statements.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The gateway: one module per resource, over the core. */
@Module({
  imports: [
    ConversionsModule,
    AffiliatesModule,
    ProgramsModule,
    AdjustmentsModule,
    BalancesModule,
    StatementsModule,
    PayoutsModule,
    WebhooksModule,
    AccountsModule,
  ],
})
export class GatewayModule {
  /** `values` are what exists before the application, such as the engines. */
  static forRoot(values: readonly ValueProvider[]): DynamicModule {
    return { module: GatewayModule, imports: [CoreModule.forRoot(values)] };
  }
}
