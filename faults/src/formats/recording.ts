import type {
  HookReceiver,
  MovableClock,
  StandaloneService,
  TestAccount,
} from '@refledger/testing';

/** The service whose history is recorded, the account that it is about, and its webhook receiver. */
export interface Recording {
  readonly service: StandaloneService;
  readonly account: TestAccount;
  readonly receiver: HookReceiver;
  readonly clock: MovableClock;
}
