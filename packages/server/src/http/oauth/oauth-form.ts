import { OauthError } from './oauth-errors.ts'

export type Form = Record<string, string>

export const required = (form: Form, name: string): string => {
  const value = form[name]
  if (value === undefined || value === '') throw new OauthError('invalid_request', `${name} is required.`)
  return value
}
