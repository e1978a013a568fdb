import { isIP } from 'node:net'
import { bareHost, parseUri } from '../grammar/uri.ts'
import { leniently } from '../grammar/scan.ts'
import type { Message } from '../message/message.ts'
import { parseNameAddr, parseVia } from '../grammar/headers.ts'
import type { Flow } from './transport.ts'

export type IsProxy = (address: string) => boolean

/**
 * Original source address of a message, as seen by the last of our proxies on its path: from the Via (RFC 3261 §18.2.1), or from the
 * Contact (`alias`). Undefined if neither has it; never the address of the proxy.
 */
export const originOf = (message: Message, from: Flow, isProxy: IsProxy): string | undefined => {
  if (!isProxy(from.address)) return from.address
  return (message.kind === 'request' ? seenInVia(message, isProxy) : undefined) ?? seenInContact(message)
}

/** For a REGISTER: also reads the Path (RFC 3327, `received`). */
export const registeredOrigin = (message: Message, from: Flow, isProxy: IsProxy): string | undefined => {
  if (!isProxy(from.address)) return from.address
  return originOf(message, from, isProxy) ?? message.list('path').map(seenInPath).find(isAddress)
}

const seenInVia = (message: Message, isProxy: IsProxy): string | undefined => {
  const before = message
    .list('via')
    .slice(1)
    .flatMap((text) => {
      const via = leniently(() => parseVia(text))
      const address = via && bareHost(via.params['received'] ?? via.host)
      return isAddress(address) ? [address] : []
    })
  return before.find((address) => !isProxy(address)) ?? before.at(-1)
}

/** `alias=203.0.113.7~5060~1` */
const seenInContact = (message: Message): string | undefined => {
  const alias = leniently(() => parseUri(message.contacts[0]?.uri ?? '').params['alias'])
  const address = bareHost(alias?.split('~')[0] ?? '')
  return isAddress(address) ? address : undefined
}

/** `<sip:proxy.example.org;lr;received=sip:203.0.113.7:5060>` */
const seenInPath = (path: string): string | undefined =>
  leniently(() => {
    const received = parseUri(parseNameAddr(path).uri).params['received']
    return received === undefined ? undefined : bareHost(parseUri(received).host)
  })

const isAddress = (text: string | undefined): text is string => text !== undefined && isIP(text) !== 0
