import { SipError } from '../grammar/sip-error.ts'
import type { Request } from './message.ts'

/** A message that cannot be read as a whole. */
export class BrokenMessage extends SipError {
  /**
   * What could be read of the request, so that it can be answered. Not everything is there, and its getters may throw.
   * Missing when it is no request or has no Via line: nothing to answer.
   */
  readonly received: Request | undefined

  constructor({ status, message }: SipError, received: Request | undefined) {
    super(status, message)
    this.name = 'BrokenMessage'
    this.received = received
  }
}
