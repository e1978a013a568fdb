import { settingsSchema } from './settings-schema.ts'

const mask = '•••'

/** For people and logs: hides the login and the options of an address, and other secrets entirely. */
export const masked = (name: string, text: string): string => {
  const { secret } = (settingsSchema as Record<string, { secret?: 'word' | 'address' }>)[name] ?? {}
  if (secret === undefined || text === '') return text
  const [, scheme, rest = ''] = /^([a-z]+:\/\/)(.*)$/is.exec(text) ?? []
  if (secret === 'word' || scheme === undefined) return mask
  // An unescaped password may contain any character: then nothing after the scheme is certain.
  const [, login, place = '', options = ''] = /^([^/?#]*@)?([^@?]*)(\?[^@]*)?$/s.exec(rest) ?? []
  if (rest.includes('@') && login === undefined) return `${scheme}${mask}`
  return `${scheme}${login === undefined ? '' : `${mask}@`}${place}${options === '' ? '' : `?${mask}`}`
}
