import { errors, type ErrorCode } from './errors.ts'
import type { LoginChallenge } from './second-factor.ts'

/** One thing that is wrong, and where: `field` is a path such as `redirectUris/0`. */
export interface ProblemDetail {
  field: string
  problem: string
}

export interface ProblemOptions {
  details?: ProblemDetail[]
  /** Seconds until another try makes sense; becomes the Retry-After header. */
  retryAfter?: number
  /** With which a token would have been enough; becomes part of the WWW-Authenticate header. */
  scope?: string
  /** What a login is asked for besides the password. */
  login?: LoginChallenge
}

/** The only way an API error is made. Everything else that is thrown is our own fault and becomes `internal_error`. */
export class Problem extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: ProblemDetail[] | undefined
  readonly retryAfter: number | undefined
  readonly scope: string | undefined
  readonly login: LoginChallenge | undefined

  constructor(code: ErrorCode, message?: string, options: ProblemOptions = {}) {
    super(message ?? errors[code].text)
    this.name = errors[code].name
    this.code = code
    this.status = errors[code].status
    this.details = options.details
    this.retryAfter = options.retryAfter
    this.scope = options.scope
    this.login = options.login
  }

  /** A single field is wrong. */
  static field(field: string, problem: string, code: ErrorCode = 'parameter_invalid'): Problem {
    return new Problem(code, `${field} ${problem}`, { details: [{ field, problem }] })
  }

  toBody(): ErrorBody {
    const body: ErrorBody = { name: this.name, message: this.message, code: this.code }
    if (this.details) body.details = this.details
    return { ...body, ...this.login }
  }
}

export interface ErrorBody extends Partial<LoginChallenge> {
  name: string
  message: string
  code: ErrorCode
  details?: ProblemDetail[]
}
