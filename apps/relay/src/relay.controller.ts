import { Controller, Inject, UseFilters } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { Relay } from '@refledger/event-bus';
import type { LogBatch } from '@refledger/event-log';
import { batches, HandlerErrors } from '@refledger/platform/nest';

/** Passes whole batches of the event log to the relay. */
@Controller()
@UseFilters(HandlerErrors)
export class RelayController {
  constructor(@Inject(Relay) private readonly relay: Relay) {}

  @EventPattern<string>(batches) publish(@Payload() batch: LogBatch): Promise<void> {
    return this.relay.publish(batch);
  }
}
