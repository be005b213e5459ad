import type { DataDirectory } from '@refledger/engines';
import { whyBackupSendsNothing } from '@refledger/operator';
import { outgoingOff, type Config } from '@refledger/platform';

/** Whether the embedded service sends webhooks: its settings and its folder decide. */
export class EmbeddedOutgoing {
  private backup: string | undefined;

  constructor(
    private readonly config: Pick<Config, 'outgoing'>,
    directory: DataDirectory,
  ) {
    this.backup = whyBackupSendsNothing(directory);
  }

  /** Why nothing is sent; undefined while webhooks are sent. */
  get blocked(): string | undefined {
    const reasons = [this.backup, outgoingOff(this.config)].filter((one) => one !== undefined);
    return reasons.length === 0 ? undefined : reasons.join('; ');
  }

  /** Records that the folder is no longer a backup. */
  restored(): void {
    this.backup = undefined;
  }
}
