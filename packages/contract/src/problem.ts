import { errors, type ErrorCode } from './errors.ts'
import type { LoginChallenge } from './second-factor.ts'

/** One problem and its place: `field` is a path such as `redirectUris/0`. */
export interface ProblemDetail {
  field: string
  problem: string
}

export interface ProblemOptions {
  details?: ProblemDetail[]
  /** Seconds until a retry makes sense; sent as the Retry-After header. */
  retryAfter?: number
  /** Sufficient scope for a token; sent in the WWW-Authenticate header. */
  scope?: string
  /** Second-factor challenge of a login. */
  login?: LoginChallenge
}

/** The only source of API errors. Any other exception is our bug and becomes `internal_error`. */
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

  /** A single invalid field. */
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
