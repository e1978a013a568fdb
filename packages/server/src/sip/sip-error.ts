import type { Message } from './message.ts'

/** What a peer sent is not right; `status` is the answer that it deserves. */
export class SipError extends Error {
  readonly status: number
  /**
   * What could be read of it, so that a request can be answered. Not everything in it is there, and its getters may throw.
   * Missing when there is no request or no Via line: nothing to answer.
   */
  readonly received: Message | undefined

  constructor(status: number, why: string, received?: Message) {
    super(why)
    this.name = 'SipError'
    this.status = status
    this.received = received
  }
}
