import { Type, type Static } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Nullable, OneOf, Output, RequiredText, Timestamp } from '../values.ts'

/** Dialled by a page: it hears itself, and can show the round-trip delay. */
export const echoTest = '*43'

/** A WebSocket for the audio of one call, in binary messages like a talk; `ticket` from `sound` of PhoneNews. */
export const phoneSoundPath = (ticket: string): string => `/v3/phone-sound/${ticket}`

export const declineCauses = ['rejected', 'busy', 'do_not_disturb'] as const

const IceServer = Output({
  urls: Type.Array(Type.String()),
  username: Type.Optional(Type.String()),
  credential: Type.Optional(Type.String()),
})

export const PushSubscription = Input({
  endpoint: Type.String({ minLength: 1, maxLength: 2000, description: 'https, of the maker of the browser' }),
  keys: Input({ p256dh: RequiredText(200), auth: RequiredText(100) }),
  language: RequiredText(35),
})

const byUser = { auth: 'user', bearer: true } as const
const pushing = { ...byUser, scopes: ['push_device:register'] } as const

/**
 * The phone in a browser. A page opens the WebSocket, is rung there and calls from there; the audio uses WebRTC. Text messages are JSON,
 * see PageFrame and PhoneNews. Closing the connection hangs up; a broken one can be resumed within ten seconds, with a new ticket.
 */
export const phoneOperations = {
  openPhone: operation({
    id: 'openPhone',
    credentials: true,
    method: 'POST',
    path: '/v3/phone/tickets',
    summary: 'A WebSocket address at which a page becomes a phone of its user, once, within 30 seconds',
    ...byUser,
    scopes: ['sessions:calls:write'],
    permission: 'CAN_INITIATE_CALLS',
    status: 201,
    reply: Output({
      url: Type.String({
        description:
          'ws or wss; whoever has it may call once in your name. Pages of the service may put their own origin in place of the one in it.',
      }),
      expiresAt: Timestamp,
      deviceId: Type.String({ description: 'The BROWSER device of the user; it is made when there is none' }),
      iceServers: Type.Array(IceServer, { description: 'For RTCPeerConnection' }),
    }),
    errors: ['unavailable', 'phone_limit_reached'],
  }),
  getPushKey: operation({
    id: 'getPushKey',
    method: 'GET',
    path: '/v3/phone/push/key',
    summary: 'What a browser needs to be notified of calls while no page is visible',
    ...pushing,
    status: 200,
    reply: Output({
      key: Nullable(Type.String({ description: 'applicationServerKey, base64url (RFC 8292); null: notifications are switched off' })),
    }),
  }),
  subscribePush: operation({
    id: 'subscribePush',
    method: 'PUT',
    path: '/v3/phone/push',
    summary: 'Notify this browser of calls',
    ...pushing,
    body: PushSubscription,
    status: 200,
    reply: Output({ id: Type.String({ description: 'To unsubscribe; the same for the same endpoint' }) }),
    errors: ['push_endpoint_refused', 'unavailable'],
  }),
  unsubscribePush: operation({
    id: 'unsubscribePush',
    method: 'DELETE',
    path: '/v3/phone/push/{subscriptionId}',
    summary: 'Notify this browser no longer',
    ...pushing,
    status: 204,
    errors: ['not_found'],
  }),
  declinePhoneCall: operation({
    id: 'declinePhoneCall',
    method: 'POST',
    path: '/v3/phone/declines',
    summary: 'Decline a call from its notification, with the ticket that came with it',
    auth: 'public',
    bearer: false,
    body: Input({ ticket: RequiredText(200) }),
    status: 204,
    errors: ['phone_ticket_invalid'],
  }),
}

/** Notification of a browser, encrypted for it alone. Starts with `ring`; later ones about the same call replace it. */
export interface CallNotice {
  type: 'ring' | 'missed' | 'elsewhere' | 'answered' | 'declined'
  callId: string
  from: { number?: string; name: string }
  /** For `declinePhoneCall`; only with `ring`. */
  decline?: string
}

/** As sent, in the subscribed language. */
export type SentNotice = CallNotice & { language: string }

const CallId = Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', description: 'The page gives it to a call that it makes, preferably a UUID' })
const Sdp = Type.String({ minLength: 1, maxLength: 32_768 })
const Dialled = RequiredText(100)
const about = { callId: CallId }

/** Messages of a page, by type. */
export const pageFrames = {
  dial: Input({
    type: Type.Literal('dial'),
    ...about,
    to: Dialled,
    sdp: Sdp,
    callerId: Type.Optional(
      Type.String({ pattern: '^(\\+[0-9]{1,20}|anonymous)$', description: 'E.164 or anonymous; else as the device is set' }),
    ),
  }),
  /** It rings and is visible. */
  ringing: Input({ type: Type.Literal('ringing'), ...about }),
  accept: Input({ type: Type.Literal('accept'), ...about, sdp: Sdp }),
  decline: Input({ type: Type.Literal('decline'), ...about, cause: Type.Optional(OneOf(declineCauses)) }),
  hangup: Input({ type: Type.Literal('hangup'), ...about }),
  hold: Input({ type: Type.Literal('hold'), ...about, value: Type.Boolean() }),
  dtmf: Input({ type: Type.Literal('dtmf'), ...about, digits: Type.String({ pattern: '^[0-9*#]{1,32}$' }) }),
  /** To a number, or to the other party of another call of this page. */
  transfer: Input({ type: Type.Literal('transfer'), ...about, to: Type.Optional(Dialled), toCall: Type.Optional(CallId) }),
  record: Input({ type: Type.Literal('record'), ...about, value: Type.Boolean() }),
  /**
   * After `ready`, for a page whose connection broke: its previous `pageId`, and the calls to keep. Their state is sent again, calls that
   * have ended since are `ended`, and calls not named are hung up.
   */
  resume: Input({
    type: Type.Literal('resume'),
    pageId: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
    callIds: Type.Array(CallId, { maxItems: 32 }),
  }),
  /** WebRTC finds no path, or has lost it: moves the audio to a WebSocket. May be repeated when that breaks. */
  sound: Input({ type: Type.Literal('sound'), ...about }),
  /** The page is visible; without a visible page, subscribed browsers are notified of calls. */
  visible: Input({ type: Type.Literal('visible'), value: Type.Boolean() }),
  /** Reception quality at the page, every five seconds. `silentMs`: milliseconds without audio. */
  quality: Input({
    type: Type.Literal('quality'),
    ...about,
    lossPct: Type.Number({ minimum: 0, maximum: 100 }),
    jitterMs: Type.Number({ minimum: 0, maximum: 60_000 }),
    rttMs: Type.Optional(Type.Number({ minimum: 0, maximum: 60_000 })),
    silentMs: Type.Number({ minimum: 0 }),
  }),
}

/** From the page. */
export type PageFrame = { [Type in keyof typeof pageFrames]: Static<(typeof pageFrames)[Type]> }[keyof typeof pageFrames]

export interface RingNews {
  type: 'ring'
  callId: string
  /** `number` is missing if withheld; `contactId` is set if `name` is a contact's. */
  from: { number?: string; name: string; contactId?: string }
  /** Dialled number, and the alias of the ringing line. */
  to: { number: string; line: string }
  /** ISO 8601. */
  since: string
}

/** From the service. */
export type PhoneNews =
  /** The first message. */
  | { type: 'ready'; deviceId: string; pageId: string }
  | RingNews
  /** The other side rings. */
  | { type: 'ringing'; callId: string }
  /** The answer to the page's offer. Early: early media before the call is answered. */
  | { type: 'media'; callId: string; sdp: string; early: boolean }
  /**
   * Path of a WebSocket for the audio, valid once, within 30 seconds: 16 kHz, 16 bit, 20 ms per binary message. Also sent without a request
   * when WebRTC loses its path; then the call ends unless the WebSocket is open within ten seconds.
   */
  | { type: 'sound'; callId: string; path: string }
  | { type: 'answered'; callId: string }
  /** The call's id in /v2/calls, the history and the timeline. */
  | { type: 'call'; callId: string; coreCallId: string }
  /** The other side put the call on hold, or resumed it. */
  | { type: 'held'; callId: string; value: boolean }
  | { type: 'recording'; callId: string; value: boolean }
  | { type: 'transfer'; callId: string; state: 'trying' | 'done' | 'failed'; cause?: string }
  /** `by`: this page or its user (peer), the other side or the service (us). `elsewhere`: answered at another phone or page. */
  | { type: 'ended'; callId: string; by: 'peer' | 'us' | 'network'; cause: string; elsewhere?: true }
  /** The message was invalid, or is not possible now; everything else continues. */
  | { type: 'problem'; message: string; callId?: string }
