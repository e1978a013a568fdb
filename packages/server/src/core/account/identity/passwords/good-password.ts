import type { ErrorCode } from '@offhook/contract/errors.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { isCommonPassword } from './common-passwords.ts'

const shortest = 12
const maxBytes = 1024

/** Where a password stands in a request, and what it is called there when it is no good. */
interface Named {
  field: string
  code: ErrorCode
}

const usual: Named = { field: 'password', code: 'parameter_invalid' }

/** Long enough, and none of those that are guessed first. */
export const requireGoodPassword = (field: string, password: string, email: string): void => {
  const named: Named = { field, code: 'password_weak' }
  requireLength(password, named)
  refuseGuessable(password, email, named)
}

export const requireLength = (password: string, { field, code } = usual): void => {
  if (password.length < shortest) throw Problem.field(field, `must have at least ${shortest} characters`, code)
  if (Buffer.byteLength(password) > maxBytes) throw Problem.field(field, `must have at most ${maxBytes} bytes`, code)
}

export const refuseGuessable = (password: string, email: string, { field, code } = usual): void => {
  if (password.trim().toLowerCase() === email.toLowerCase()) throw Problem.field(field, 'must not be the e-mail address', code)
  if (isCommonPassword(password)) throw Problem.field(field, 'must not be one of the most used passwords', code)
}
