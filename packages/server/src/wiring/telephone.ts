import { webPush } from '#adapters/web-push/web-push.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import type { SipTelephony } from '#adapters/telephony/sip-telephony.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import type { CallGuide, CallChange, CallObserver } from '#core/kernel/ports/calls.ts'
import type { Admission } from '#core/operate/overload/admission.ts'
import type { PeerNodes, Clock } from '#core/kernel/ports/platform.ts'
import { CreditWhileAway } from '#core/money/credit-while-away.ts'
import { faxIntake } from '#core/messages/fax/receiving/fax-intake.ts'
import type { ClusterCalls } from '#core/telephone/call/cluster/cluster-calls.ts'
import { Occupancy } from '#core/telephone/call/state/occupancy.ts'
import { accountBlf } from '#core/telephone/blf/account-blf.ts'
import { CallNotices } from '#core/telephone/phones/call-notices.ts'
import { BrowserPhones } from '#core/telephone/phones/browser-phones.ts'
import { relaysWith, PhoneTickets } from '#core/telephone/phones/phone-tickets.ts'
import { EdgeAttempts } from '#core/telephone/routing/inbound/edge-attempts.ts'
import { CallRouter } from '#core/telephone/routing/call-router.ts'
import { Talks } from '#core/telephone/talks/talks.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import type { Log, LogEventCode } from '#log/log-events.ts'
import type { Settings } from '#settings/config.ts'
import type { Assistants } from './assistants.ts'
import { admitting } from './overload.ts'
import type { Platform } from './platform.ts'
import type { ClusterCounters } from './cluster/cluster-counters.ts'
import type { OpenedTelephony } from './sip-telephony.ts'

interface TelephoneDeps {
  settings: Settings
  platform: Platform
  sip: OpenedTelephony
  calls: ClusterCalls
  peerNodes: PeerNodes
  together: ClusterCounters
  assistants: Assistants
  /** Undefined: everything is admitted. */
  admission: Admission | undefined
  /** Decisions of accounts' software about their calls. */
  guide: CallGuide
  leases: Leases
  timelines: LiveTimelines
  /** Public address of the REST API. */
  publicUrl: () => string
  /** Called after an outbox message was queued. */
  wake: () => void
}

/** Calls of phones, carriers and browsers: the call router on top of SIP. */
export interface Telephone {
  telephony: SipTelephony
  callRouter: CallRouter
  /** Calls from browsers and programs. */
  talks: Talks
  /** Phones in browsers. */
  phones: BrowserPhones
  phoneTickets: PhoneTickets
  callNotices: CallNotices
  /** Starts accepting and making calls. */
  start(): Promise<void>
  /** Rejects or accepts new calls. */
  refuse(value: boolean): void
  /** Rejects new calls; resolves when the last one ends, or after the timeout. */
  drain(ms: number): Promise<void>
  /** Resolves when every media thread has answered: not while one is stuck. */
  answers(): Promise<void>
  /** Resolves when no store access is pending. */
  idle(): Promise<void>
  /** Hangs up, then closes SIP and the engines. */
  close(): Promise<void>
}

/** Milliseconds for delivering the last call events to customers at shutdown. */
const lastEventsMs = 500

export const openTelephone = (deps: TelephoneDeps): Telephone => {
  const { platform, sip, assistants } = deps
  const { store, callClock: clock, log, messageWaiting } = platform
  const { telephony } = sip
  const callRouter = openCallRouter(deps)
  platform.load.calls = () => callRouter.size
  telephony.onIncoming((call) => void callRouter.incoming(call))
  const talks = openTalks(deps, callRouter)
  const callNotices = openNotices(deps)
  const phones = openPhones(deps, callRouter, callNotices)
  const phoneTickets = new PhoneTickets({ ...platform, clock, publicUrl: deps.publicUrl, pages: phones, relays: relaysOf(deps) })
  return {
    telephony,
    callRouter,
    talks,
    phones,
    phoneTickets,
    callNotices,
    async start() {
      await telephony.start()
      await telephony.lamps.start(accountBlf({ store, occupancy: callRouter.occupancy, messageWaiting }))
    },
    refuse(value) {
      telephony.drain(value)
      callRouter.drain(value)
      talks.refuse(value)
      phoneTickets.refuse(value)
    },
    answers: () => sip.answers(),
    drain: (ms) => drain({ telephony, callRouter, clock, log }, ms),
    async idle() {
      await callRouter.idle()
      await telephony.lamps.idle()
      await assistants.idle()
    },
    async close() {
      telephony.drain()
      const cancel = realClock().after(lastEventsMs, () => assistants.hurry())
      await callRouter.hangUpAll('service_shutdown')
      cancel()
      phones.close()
      await sip.close()
    },
  }
}

const openCallRouter = (deps: TelephoneDeps): CallRouter => {
  const { settings, platform, together, sip, calls, assistants, admission, guide, leases, timelines, wake } = deps
  const { callStore: store, journal, callClock: clock, recordingFiles, faxFiles, mayRecord, measurements, callSpans, log } = platform
  return new CallRouter({
    store,
    clock,
    telephony: sip.telephony,
    calls: calls.here,
    flows: assistants.flows,
    rejects: (isEmergency) => admission?.rejects('call', { isEmergency }),
    guide,
    // Phones in a call on another node are busy, and their BLF (RFC 4235) shows it.
    occupancy: new Occupancy((changed) => ({ calls: together.state('phones', changed), idleSince: together.state('idle') })),
    journal,
    credit: creditWhileAway(deps),
    attempts: platform.bus.alone ? undefined : new EdgeAttempts(platform.bus),
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

/** Undefined if the operator gives none, or the database is a local file. */
const creditWhileAway = ({ settings, platform, peerNodes, leases }: TelephoneDeps): CreditWhileAway | undefined => {
  const { callStore, journal, callClock: clock } = platform
  const { reach } = callStore
  const maxMs = settings.OFFHOOK_CREDIT_WHILE_AWAY * 60_000
  if (!reach || !journal || maxMs === 0) return undefined
  return new CreditWhileAway({ maxMs, reach, journal, clock, nodes: () => peerNodes.others().length + 1, owner: leases.owner })
}

const openTalks = (deps: TelephoneDeps, callRouter: CallRouter): Talks => {
  const { settings, platform, sip, admission, publicUrl } = deps
  const { store, callClock: clock, vault } = platform
  return new Talks({
    store,
    clock,
    vault,
    publicUrl,
    shared: deps.together.state('talks'),
    legs: sip.telephony,
    take: admitting(admission, settings.OFFHOOK_COUNTRY, (call) => callRouter.incoming(call)),
    maxSeconds: settings.OFFHOOK_TALK_MINUTES === 0 ? Infinity : settings.OFFHOOK_TALK_MINUTES * 60,
  })
}

const relaysOf = ({ settings: { OFFHOOK_TURN: urls, OFFHOOK_TURN_SECRET: secret }, platform }: TelephoneDeps) =>
  urls.length > 0 && secret !== undefined ? relaysWith({ urls, secret, clock: platform.wallClock }) : undefined

const openNotices = ({ settings, platform, publicUrl }: TelephoneDeps): CallNotices => {
  const parts = { ...platform, clock: platform.wallClock }
  return new CallNotices({ ...parts, push: settings.OFFHOOK_PUSH ? webPush({ ...parts, publicUrl }) : undefined })
}

const openPhones = (
  { settings, platform, sip, calls, peerNodes, together, admission }: TelephoneDeps,
  callRouter: CallRouter,
  notices: CallNotices,
): BrowserPhones => {
  const { bus, callStore: store, wallClock: clock, log } = platform
  const take = admitting(admission, settings.OFFHOOK_COUNTRY, (call) => callRouter.incoming(call))
  const phones = new BrowserPhones({
    bus,
    clock,
    peerNodes,
    shared: (changed) => together.state('pages', changed),
    legs: sip.telephony,
    calls,
    store,
    notices,
    take: (call) => void take(call),
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

/** One line per step of a call; caller and callee only where the operator wants personal data in the log. */
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
  callRouter: CallRouter
  clock: Clock
  log: Log
}

const announceIntervalMs = 5_000

const drain = async ({ telephony, callRouter, clock, log }: Draining, ms: number): Promise<void> => {
  telephony.drain()
  callRouter.drain()
  const until = clock.now() + ms
  let saidAt = 0
  while (callRouter.size > 0 && clock.now() < until) {
    if (clock.now() - saidAt >= announceIntervalMs) {
      saidAt = clock.now()
      log('calls_draining', { calls: callRouter.size })
    }
    await new Promise<void>((resolve) => void clock.after(100, resolve))
  }
}
