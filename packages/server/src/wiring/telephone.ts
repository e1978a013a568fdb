import { webPush } from '#adapters/web-push/web-push.ts'
import { realClock } from '#adapters/clock/real-clock.ts'
import type { SipTelephony } from '#adapters/telephony/sip-telephony.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import type { CallGuide } from '#core/kernel/ports/call-guide.ts'
import type { CallChange, CallObserver } from '#core/kernel/ports/call-observer.ts'
import type { Neighbours } from '#core/kernel/ports/neighbours.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { faxIntake } from '#core/messages/fax/receiving/fax-intake.ts'
import type { CallsAnywhere } from '#core/telephone/call/anywhere/calls-anywhere.ts'
import { Occupancy } from '#core/telephone/call/state/occupancy.ts'
import { accountLamps } from '#core/telephone/lamps/account-lamps.ts'
import { CallNotices } from '#core/telephone/phones/call-notices.ts'
import { BrowserPhones } from '#core/telephone/phones/browser-phones.ts'
import { relaysWith } from '#core/telephone/phones/relays.ts'
import { PhoneTickets } from '#core/telephone/phones/phone-tickets.ts'
import { Switchboard } from '#core/telephone/switchboard/switchboard.ts'
import { Talks } from '#core/telephone/talks/talks.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { Log, LogEventCode } from '#log/log-events.ts'
import type { Settings } from '#settings/config.ts'
import type { Assistants } from './assistants.ts'
import type { Platform } from './platform.ts'
import type { Together } from './cluster/together.ts'
import type { OpenedTelephony } from './sip-telephony.ts'

export interface TelephoneParts {
  settings: Settings
  platform: Platform
  sip: OpenedTelephony
  calls: CallsAnywhere
  neighbours: Neighbours
  together: Together
  assistants: Assistants
  /** What accounts' own software wants to become of their calls. */
  guide: CallGuide
  leases: Leases
  timelines: LiveTimelines
  /** How the world reaches the REST interface. */
  publicUrl: () => string
  /** Something was put into the outbox. */
  wake: () => void
}

/** Calls of phones, carriers and browsers: the switchboard on top of SIP. */
export interface Telephone {
  telephony: SipTelephony
  switchboard: Switchboard
  /** Calls from browsers and programs. */
  talks: Talks
  /** Phones in browsers, and how pages become one. */
  phones: BrowserPhones
  phoneTickets: PhoneTickets
  callNotices: CallNotices
  /** From now on calls are taken and made. */
  start(): Promise<void>
  /** New calls are refused, or taken again. */
  refuse(value: boolean): void
  /** New calls are refused; resolves when the last one is over, or after that time. */
  drain(ms: number): Promise<void>
  /** Resolves when every media thread has answered: not while one is stuck. */
  answers(): Promise<void>
  /** Nothing is being looked up or written at this moment. */
  idle(): Promise<void>
  /** Hangs up, then closes SIP and the engines. */
  close(): Promise<void>
}

/** How long customers may take to hear what happened last in calls that end with the service. */
const lastEventsMs = 500

export const openTelephone = (parts: TelephoneParts): Telephone => {
  const { platform, sip, assistants } = parts
  const { store, callClock: clock, log, messageNews } = platform
  const { telephony } = sip
  const switchboard = openSwitchboard(parts)
  telephony.onIncoming((call) => void switchboard.incoming(call))
  const talks = openTalks(parts, switchboard)
  const callNotices = openNotices(parts)
  const phones = openPhones(parts, switchboard, callNotices)
  const phoneTickets = new PhoneTickets({ ...platform, clock, publicUrl: parts.publicUrl, pages: phones, relays: relaysOf(parts) })
  return {
    telephony,
    switchboard,
    talks,
    phones,
    phoneTickets,
    callNotices,
    async start() {
      await telephony.start()
      await telephony.lamps.start(accountLamps({ store, occupancy: switchboard.occupancy, messageNews }))
    },
    refuse(value) {
      telephony.drain(value)
      switchboard.drain(value)
      talks.refuse(value)
      phoneTickets.refuse(value)
    },
    answers: () => sip.answers(),
    drain: (ms) => drain({ telephony, switchboard, clock, log }, ms),
    async idle() {
      await switchboard.idle()
      await telephony.lamps.idle()
      await assistants.idle()
    },
    async close() {
      telephony.drain()
      const cancel = realClock().after(lastEventsMs, () => assistants.hurry())
      await switchboard.hangUpAll('service_shutdown')
      cancel()
      phones.close()
      await sip.close()
    },
  }
}

const openSwitchboard = (parts: TelephoneParts): Switchboard => {
  const { settings, platform, together, sip, calls, assistants, guide, leases, timelines, wake } = parts
  const { callStore: store, journal, callClock: clock, recordingFiles, faxFiles, mayRecord, measurements, callSpans, log } = platform
  return new Switchboard({
    store,
    clock,
    telephony: sip.telephony,
    calls: calls.here,
    flows: assistants.flows,
    guide,
    // Phones that talk at another process are busy, and the lamps that watch them are lit.
    occupancy: new Occupancy((changed) => ({ calls: together.state('phones', changed), idleSince: together.state('idle') })),
    journal,
    leases,
    timelines,
    wake,
    recordingFiles,
    faxes: (books) => faxIntake({ ...books, leases, wake, files: faxFiles }),
    mayRecord,
    country: settings.OFFHOOK_COUNTRY,
    transferBy: settings.OFFHOOK_TRANSFER,
    observers: [...(callSpans ? [callSpans] : []), callLog(log), measurements],
    onFailure: (error, callId) => log('call_failed', { err: error, callId }),
  })
}

const openTalks = (parts: TelephoneParts, switchboard: Switchboard): Talks => {
  const { settings, platform, sip, publicUrl } = parts
  const { store, callClock: clock, vault } = platform
  return new Talks({
    store,
    clock,
    vault,
    publicUrl,
    shared: parts.together.state('talks'),
    legs: sip.telephony,
    take: (call) => switchboard.incoming(call),
    longestSeconds: settings.OFFHOOK_TALK_MINUTES === 0 ? Infinity : settings.OFFHOOK_TALK_MINUTES * 60,
  })
}

const relaysOf = ({ settings: { OFFHOOK_TURN: urls, OFFHOOK_TURN_SECRET: secret }, platform }: TelephoneParts) =>
  urls.length > 0 && secret !== undefined ? relaysWith({ urls, secret, clock: platform.wallClock }) : undefined

const openNotices = ({ settings, platform, publicUrl }: TelephoneParts): CallNotices => {
  const parts = { ...platform, clock: platform.wallClock }
  return new CallNotices({ ...parts, push: settings.OFFHOOK_PUSH ? webPush({ ...parts, publicUrl }) : undefined })
}

const openPhones = (
  { platform, sip, calls, neighbours, together }: TelephoneParts,
  switchboard: Switchboard,
  notices: CallNotices,
): BrowserPhones => {
  const { bus, callStore: store, wallClock: clock, log } = platform
  const phones = new BrowserPhones({
    bus,
    clock,
    neighbours,
    shared: (changed) => together.state('pages', changed),
    legs: sip.telephony,
    calls,
    store,
    notices,
    take: (call) => void switchboard.incoming(call),
    onError: (error) => log('browser_phone_failed', { err: error }),
  })
  sip.telephony.alsoRing(phones)
  return phones
}

const loggedAs: Partial<Record<CallChange, LogEventCode>> = {
  started: 'call_started',
  answered: 'call_answered',
  transferred: 'call_transferred',
  ended: 'call_ended',
  taken: 'call_taken',
  resumed: 'call_resumed',
}

/** One line for each step of a call; who called whom only where the operator wants personal data in the log. */
const callLog = (log: Log): CallObserver => ({
  changed({ callId, from, to, end }, what) {
    const event = loggedAs[what]
    if (event) log(event, { callId, ...(end && { by: end.by, reason: end.reason }), pii: { from, to } })
  },
  sound(callId, state, phone) {
    log(state === 'heard' ? 'phone_audio_restored' : 'phone_audio_missing', { callId, state, ...phone })
  },
})

interface Draining {
  telephony: SipTelephony
  switchboard: Switchboard
  clock: Clock
  log: Log
}

const sayEveryMs = 5_000

const drain = async ({ telephony, switchboard, clock, log }: Draining, ms: number): Promise<void> => {
  telephony.drain()
  switchboard.drain()
  const until = clock.now() + ms
  let saidAt = 0
  while (switchboard.size > 0 && clock.now() < until) {
    if (clock.now() - saidAt >= sayEveryMs) {
      saidAt = clock.now()
      log('calls_draining', { calls: switchboard.size })
    }
    await new Promise<void>((resolve) => void clock.after(100, resolve))
  }
}
