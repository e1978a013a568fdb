import type { Request } from '@offhook/sip/message/message.ts'
import type { NameAddr } from '@offhook/sip/grammar/name-addr.ts'
import { SipError } from '@offhook/sip/grammar/sip-error.ts'
import { parseUri } from '@offhook/sip/grammar/uri.ts'

export const SHORTEST_S = 60
const LONGEST_S = 3600
const MOST_CONTACTS = 10

export interface WishedContact {
  /** As it was written. */
  contact: string
  q: string
  /** 0 takes it away. */
  seconds: number
}

/** What a REGISTER asks for: nothing but the list when both are empty. */
export interface RegisterRequest {
  contacts: WishedContact[]
  /** All contacts are to be forgotten. */
  forgetAll: boolean
}

/** RFC 3261 §10.3, steps 6 and 7. Throws SipError for what cannot be granted. */
export const readRegister = (request: Request): RegisterRequest => {
  const { contacts } = request
  const expires = request.header('expires')
  if (contacts.some(({ uri }) => uri === '*')) {
    if (contacts.length > 1 || expires?.trim() !== '0') throw new SipError(400, '* goes alone and with Expires: 0')
    return { contacts: [], forgetAll: true }
  }
  if (contacts.length > MOST_CONTACTS) throw new SipError(400, 'Too many contacts')
  return { contacts: contacts.map((contact) => readContact(contact, expires)), forgetAll: false }
}

const readContact = ({ uri, params }: NameAddr, expires: string | undefined): WishedContact => {
  if (parseUri(uri).scheme === 'tel') throw new SipError(400, 'A contact must be a SIP address')
  const seconds = readSeconds(params['expires'] ?? expires)
  if (seconds > 0 && seconds < SHORTEST_S) throw new SipError(423, 'Too short')
  return { contact: uri, q: readQ(params['q']), seconds: Math.min(seconds, LONGEST_S) }
}

/** What cannot be read counts as the default, as §10.3 wants it. */
const readSeconds = (text: string | undefined): number => (text !== undefined && /^\s*\d{1,10}\s*$/.test(text) ? Number(text) : LONGEST_S)

const readQ = (text: string | undefined): string => (text !== undefined && /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? text : '')
