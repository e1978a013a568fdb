import { settingsSchema } from './settings-schema.ts'

const mask = '•••'

/** For people and logs: of an address with a login everything but the login and the options, of other secrets only that there is one. */
export const masked = (name: string, text: string): string => {
  const { secret } = (settingsSchema as Record<string, { secret?: 'word' | 'address' }>)[name] ?? {}
  if (secret === undefined || text === '') return text
  const [, scheme, rest = ''] = /^([a-z]+:\/\/)(.*)$/is.exec(text) ?? []
  if (secret === 'word' || scheme === undefined) return mask
  // A password that was not escaped may hold anything: then nothing behind the scheme is certain.
  const [, login, place = '', options = ''] = /^([^/?#]*@)?([^@?]*)(\?[^@]*)?$/s.exec(rest) ?? []
  if (rest.includes('@') && login === undefined) return `${scheme}${mask}`
  return `${scheme}${login === undefined ? '' : `${mask}@`}${place}${options === '' ? '' : `?${mask}`}`
}
