import { statusWords } from './status.ts'

/** Invalid input from a peer; `status` is the response to send. */
export class SmppError extends Error {
  readonly status: number

  constructor(status: number, why: string) {
    // Unknown sources cause these by the thousand, and the stack is useless: none is collected.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(why)
    Error.stackTraceLimit = limit
    this.name = 'SmppError'
    this.status = status
  }
}

/** The far end answered a request with an error status. */
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

/** The request certainly was not sent: not bound, queue full, or closed before its turn. */
export class SmppNotSent extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'SmppNotSent'
  }
}

/** It was sent but not answered: the far end may or may not have accepted it. */
export class SmppUnanswered extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'SmppUnanswered'
  }
}
