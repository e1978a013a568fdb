import type { Params } from './message.ts'

export interface SipUri {
  scheme: 'sip' | 'sips' | 'tel'
  /** Unescaped. For tel: the number. */
  user: string | undefined
  password: string | undefined
  /** In lower case; IPv6 with its brackets. Empty for tel. */
  host: string
  port: number | undefined
  params: Params
  /** As written, after the question mark, decoded. */
  headers: Params
}
