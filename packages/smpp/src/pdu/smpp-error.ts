import { statusWords } from './status.ts'

/** What a peer sent is not valid; `status` is the one to answer it with. */
export class SmppError extends Error {
  readonly status: number

  constructor(status: number, why: string) {
    // Strangers make these by the thousand, and where in the decoder it happened is of no use: no stack is collected.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(why)
    Error.stackTraceLimit = limit
    this.name = 'SmppError'
    this.status = status
  }
}

/** The far end answered a request with something else than success. */
export class SmppRefused extends Error {
  readonly command: string
  readonly status: number

  constructor(command: string, status: number) {
    super(`${command} was refused: ${statusWords(status)}`)
    this.name = 'SmppRefused'
    this.command = command
    this.status = status
  }
}

/** The request surely did not leave us: not bound, too many wait already, closed before its turn came. */
export class SmppNotSent extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'SmppNotSent'
  }
}

/** It was sent and not answered: the far end may have taken it or not. */
export class SmppUnanswered extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'SmppUnanswered'
  }
}
