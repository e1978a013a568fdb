/** Kind of an error in OpenAI's format. */
type ErrorType = 'invalid_request_error' | 'authentication_error' | 'server_error'

interface ErrorDetails {
  /** Field of the request. */
  param?: string
  retryAfterSeconds?: number
}

/** An error that the client gets, in OpenAI's format. */
export class ServiceError extends Error {
  readonly status: number
  readonly code: string
  readonly details: ErrorDetails

  constructor(status: number, code: string, message: string, details: ErrorDetails = {}) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }

  /** As in `{ "error": … }`. */
  get body(): { message: string; type: ErrorType; param: string | null; code: string } {
    return { message: this.message, type: typeOf(this.status), param: this.details.param ?? null, code: this.code }
  }
}

const typeOf = (status: number): ErrorType => {
  if (status === 401) return 'authentication_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

export const badField = (param: string, message: string, code = 'invalid_value'): ServiceError =>
  new ServiceError(400, code, message, { param })

/** More is asked than the models can do: another server may have room. */
export const overloaded = (): ServiceError =>
  new ServiceError(503, 'overloaded', 'The service has too much to do. Try again, or add a machine.', { retryAfterSeconds: 1 })
