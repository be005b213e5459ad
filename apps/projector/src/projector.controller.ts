import { Controller, UseFilters } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { batches, HandlerErrors } from '@refledger/platform/nest';
import type { GroupBatch } from '@refledger/projections';

@Controller()
@UseFilters(HandlerErrors)
export class ProjectorController {
  @EventPattern<string>(batches) project(@Payload() batch: GroupBatch): Promise<void> {
    return batch.take();
  }
}
