import { mediaType, parseSeconds, parseValue } from '../grammar/headers.ts'
import type { Request } from '../message/message.ts'
import { SipError } from '../grammar/scan.ts'

/** An event package that can be subscribed to (RFC 6665 §5). */
export interface EventPackage {
  readonly name: string
  readonly contentType: string
}

/** Formats the state; `version` numbers the documents of a subscription. */
export type Telling = (version: number) => string

/** RFC 4235. */
export const dialogPackage: EventPackage = { name: 'dialog', contentType: 'application/dialog-info+xml' }

export interface WatchedDialog {
  id: string
  direction: 'initiator' | 'recipient'
  state: 'early' | 'confirmed'
}

/** Phones that track single dialogs turn their BLF off only when a NOTIFY shows the dialog as terminated. */
const idle = '<dialog id="none"><state>terminated</state></dialog>'

/** Full state each time: a phone that missed one document needs no other. Hides the far end of a dialog. */
export const notifyDialogs =
  (entity: string, dialogs: readonly WatchedDialog[]): Telling =>
  (version) => {
    const each = dialogs.map(
      ({ id, direction, state }) => `<dialog id="${escaped(id)}" direction="${direction}"><state>${state}</state></dialog>`,
    )
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<dialog-info xmlns="urn:ietf:params:xml:ns:dialog-info" version="${version}" state="full" entity="${escaped(entity)}">`,
      ...(each.length > 0 ? each : [idle]),
      '</dialog-info>',
      '',
    ].join('\r\n')
  }

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? '')

/** RFC 3842. */
export const messageSummary: EventPackage = { name: 'message-summary', contentType: 'application/simple-message-summary' }

interface MessageCounts {
  fresh: number
  heard: number
  /** URI of the mailbox. */
  account: string
}

export const notifyMessages =
  ({ fresh, heard, account }: MessageCounts): Telling =>
  () =>
    [
      `Messages-Waiting: ${fresh > 0 ? 'yes' : 'no'}`,
      `Message-Account: ${account}`,
      // No urgent messages.
      `Voice-Message: ${fresh}/${heard} (0/0)`,
      '',
    ].join('\r\n')

export interface SubscribeRequest {
  package: EventPackage
  /** The Event header as received: its `id` is returned in every NOTIFY. */
  event: string
  /** 0 ends the subscription, or fetches the state once. */
  seconds: number
}

export const minSeconds = 60
const maxSeconds = 3_600

/** Throws SipError: 489 for an unknown package, 423 for too short an interval, 406 if the phone does not accept the body type. */
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

/** Default without the header: the type of the package (RFC 6665 §3.1.3). */
const accepts = (request: Request, type: string): boolean => {
  if (request.header('accept') === undefined) return true
  const [main = ''] = type.split('/')
  return request.list('accept').some((one) => [type, `${main}/*`, '*/*'].includes(mediaType(one)))
}
