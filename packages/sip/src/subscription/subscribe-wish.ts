import { mediaType, parseSeconds, parseValue } from '../grammar/headers.ts'
import type { Request } from '../message/message.ts'
import { SipError } from '../grammar/sip-error.ts'
import type { EventPackage } from './event-package.ts'

export interface SubscribeRequest {
  package: EventPackage
  /** The Event header as it was sent: an `id` in it goes back in every NOTIFY. */
  event: string
  /** 0 ends it, or asks for the state once. */
  seconds: number
}

export const minSeconds = 60
const maxSeconds = 3_600

/** Throws SipError: 489 for what cannot be subscribed to, 423 for too short a time, 406 for a body that the phone does not read. */
export const readSubscribe = (request: Request, packages: readonly EventPackage[]): SubscribeRequest => {
  const event = request.header('event')
  const name = event === undefined ? '' : parseValue(event).value.toLowerCase()
  const wanted = packages.find((one) => one.name === name)
  if (!wanted || event === undefined) throw new SipError(489, 'There is no such event package')
  if (!accepts(request, wanted.contentType)) throw new SipError(406, 'The state is not written in any accepted type')
  return { package: wanted, event, seconds: secondsOf(request) }
}

const secondsOf = (request: Request): number => {
  const expires = request.header('expires')
  const seconds = expires === undefined ? maxSeconds : parseSeconds(expires, 'Expires')
  if (seconds > 0 && seconds < minSeconds) throw new SipError(423, 'The subscription is too short')
  return Math.min(seconds, maxSeconds)
}

/** Without the header it is the type of the package (RFC 6665 §3.1.3). */
const accepts = (request: Request, type: string): boolean => {
  if (request.header('accept') === undefined) return true
  const [main = ''] = type.split('/')
  return request.list('accept').some((one) => [type, `${main}/*`, '*/*'].includes(mediaType(one)))
}
