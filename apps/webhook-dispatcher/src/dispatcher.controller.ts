import { Controller, Inject, UseFilters } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { BusBatch } from '@refledger/event-bus';
import { HandlerErrors, batches } from '@refledger/platform/nest';
import { WebhookDispatcher } from '@refledger/webhooks';

/** Passes whole batches of the event bus to the dispatcher. */
@Controller()
@UseFilters(HandlerErrors)
export class DispatcherController {
  constructor(@Inject(WebhookDispatcher) private readonly dispatcher: WebhookDispatcher) {}

  @EventPattern<string>(batches)
  handle(@Payload() batch: BusBatch): Promise<void> {
    return this.dispatcher.handle(batch);
  }
}
