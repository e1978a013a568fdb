import { isIP } from 'node:net'
import { bareHost } from '../grammar/host.ts'
import { leniently } from '../grammar/lenient.ts'
import type { Message } from '../message/message.ts'
import { parseNameAddr } from '../grammar/name-addr.ts'
import type { Flow } from './transport.ts'
import { parseUri } from '../grammar/uri.ts'
import { parseVia } from '../grammar/via.ts'

export type IsProxy = (address: string) => boolean

/**
 * The address that a message set out from, as it was seen by the last proxy of ours that it came through: what that wrote into the Via
 * (RFC 3261 §18.2.1), or into the Contact (`alias`). Undefined when it does not say: the address of the proxy is not the one.
 */
export const originOf = (message: Message, from: Flow, isProxy: IsProxy): string | undefined => {
  if (!isProxy(from.address)) return from.address
  return (message.kind === 'request' ? seenInVia(message, isProxy) : undefined) ?? seenInContact(message)
}

/** Of a REGISTER: the Path may say it, too (RFC 3327, `received`). */
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
