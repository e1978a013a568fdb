/** What a peer sent is not valid; `status` is the one to answer it with. */
export class SipError extends Error {
  readonly status: number

  constructor(status: number, why: string) {
    // Strangers make these by the thousand, and where in the parser it happened is of no use: no stack is collected.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(why)
    Error.stackTraceLimit = limit
    this.name = 'SipError'
    this.status = status
  }
}
