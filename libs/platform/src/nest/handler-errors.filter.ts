import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Passes on a handler's error unchanged. Nest's own filter would turn it into 'Internal server
 * error'.
 */
@Catch()
export class HandlerErrors implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
