import { webAuthn } from '#adapters/passkeys/web-authn.ts'
import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts'
import { blame } from './cannot-start.ts'
import type { Settings } from '#settings/config.ts'
import { SoftphoneLinks } from '#core/account/devices/softphone-links.ts'
import { FaxLinks } from '#core/messages/fax/papers/fax-links.ts'
import { Authenticator } from '#core/account/identity/tokens/authenticate.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Passwords } from '#core/kernel/ports/identity/passwords.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import { RecordingLinks } from '#core/telephone/recordings/recording-links.ts'
import { acceptSms } from '#core/messages/sms/sending/accept-sms.ts'
import { sendFromPhone } from '#core/messages/orders/send-from-phone.ts'
import { takeFromTrunk } from '#core/messages/sms/arriving/take-from-trunk.ts'
import type { OpenedEndpoints } from './customers.ts'
import { firstStart, type FirstStart } from '#first-start/first-start.ts'
import { dataFolder, openGround, type Ground, type Open } from './ground.ts'
import { allCleanUps } from './clean-ups.ts'
import type { Installation, Parts } from '#http/handler/parts.ts'
import { buildServer } from '#http/server.ts'
import { openInside, type Inside } from './inside.ts'
import { bracketed } from '@offhook/sip/grammar/host.ts'
import type { Log } from '#log/log-events.ts'

export interface Running {
  /** Where the REST interface listens. */
  http: string
  /** Where phones and trunks reach us: `sip:127.0.0.1:5060`. */
  sip: string
  firstStart: FirstStart
  parts: Parts
  /** No message and no job that is due is left undone. */
  idle(): Promise<void>
  /** Refuses new calls; resolves when there are none any more, or after that time. */
  drain(ms: number): Promise<void>
  close(): Promise<void>
}

/** Parts that tests replace: time, and what costs time. */
export interface Replaced {
  clock?: Clock
  /** How often the waiting tables are looked at, in case another process put something there. */
  lookEveryMs?: number
  /** How long SQLite waits for others to write with it. */
  commitWindowMs?: number
  passwords?: Passwords
  log?: Log
  /** How assistants hear and speak … */
  speech?: Speech
  /** … and whom they ask. */
  endpoints?: OpenedEndpoints
}

/** Builds the whole service, all choices in sight; closing is the reverse order. */
export const start = async (settings: Settings, replaced: Replaced = {}): Promise<Running> => {
  const opened: { close?(): Promise<void> }[] = []
  const open = <T extends { close?(): Promise<void> }>(part: T): T => {
    opened.push(part)
    return part
  }
  const closeAll = async (): Promise<void> => {
    for (const part of opened.toReversed()) await part.close?.()
  }
  try {
    const running = await startParts(settings, replaced, open)
    let closing: Promise<void> | undefined
    return { ...running, close: () => (closing ??= closeAll()) }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** So long customers may take to hear of the sessions that end with the service. */
const lastEndsMs = 5_000

const startParts = async (settings: Settings, replaced: Replaced, open: Open): Promise<Omit<Running, 'close'>> => {
  const ground = await openGround(settings, replaced, open)
  let listening = ''
  const addresses = { listening: () => listening, publicUrl: () => settings.OFFHOOK_PUBLIC_URL ?? listening }
  const inside = await openInside({ settings, replaced, ground, open, ...addresses })
  const { telephone, workers, sms, faxes, presence, speech } = inside
  const installation = describe(settings, inside, addresses.publicUrl)
  const parts = restParts(ground, inside, installation, replaced)
  const { messages, trunkMessages } = telephone.telephony
  messages.onText(sendFromPhone({ ...parts, phones: messages }))
  trunkMessages.onText(takeFromTrunk(sms.parts))
  const { OFFHOOK_DATA: data, OFFHOOK_DEMO: demo, OFFHOOK_RATE_LIMIT: rateLimit, OFFHOOK_TRUST_PROXY: trustProxy } = settings
  const { OFFHOOK_METRICS_TOKEN: metricsToken, OFFHOOK_CORS: cors } = settings
  const app = open(buildServer(parts, { rateLimit, trustProxy, demo, metricsToken, cors }))
  open({ close: () => workers.flush(lastEndsMs) }) // after the telephone, with which the last sessions end
  open(telephone)
  open(faxes) // before the telephone, over which they are hung up
  app.upgrades.add({ path: webSocketPath, enter: (upgrade) => telephone.telephony.takeUpgrade(upgrade) })
  listening = await app.listen(settings.OFFHOOK_HTTP)
  const first = await firstStart(parts, { data, demo }).catch(blame(dataFolder(settings)))
  await telephone.start()
  await inside.recover() // before money that nobody asks for is given back
  await workers.start()
  await sms.start(parts)
  await presence.start()
  speech.prepare(await ground.store.read.flows.languages())
  const { host, port } = installation.sip
  const drain = async (ms: number): Promise<void> => {
    presence.stop()
    await Promise.all([telephone.drain(ms), faxes.drain(ms)])
  }
  return { http: listening, sip: `sip:${host}:${port}`, firstStart: first, parts, idle: () => inside.idle(), drain }
}

/** What the REST interface works with. */
const restParts = (ground: Ground, inside: Inside, installation: Installation, { passwords }: Replaced): Parts => {
  const { telephone, sms, faxes, calls, timelines, listeners, trials, speech, sandbox, pushKey, wake } = inside
  const { store, clock, vault } = ground
  const links = { store, clock, vault, publicUrl: installation.publicUrl }
  return {
    ...ground,
    installation,
    calls,
    timelines,
    presence: inside.presence,
    talks: telephone.talks,
    listeners,
    trials,
    speech,
    sandbox,
    pushKey,
    wake,
    cleanUps: allCleanUps(clock),
    passwords: passwords ?? argon2Passwords(),
    passkeyProofs: webAuthn(),
    authenticator: new Authenticator(store, clock),
    line: {
      startCall: (order) => telephone.switchboard.startCall(order),
      sendFax: (order) => faxes.accept(order),
      sendSms: (order) => acceptSms(sms.parts, order),
    },
    sms: sms.parts,
    smsRoutes: sms.states,
    smsGateway: sms.gateway,
    trunkStates: telephone.telephony.trunkStates,
    recordingLinks: new RecordingLinks(links),
    faxLinks: new FaxLinks(links),
    softphoneLinks: new SoftphoneLinks(links),
  }
}

const webSocketPath = '/sip'

const describe = (settings: Settings, { telephone, sms }: Inside, publicUrl: () => string): Installation => {
  const { telephony } = telephone
  const host = bracketed(settings.OFFHOOK_PUBLIC_ADDRESS ?? settings.OFFHOOK_SIP.host)
  const ownWebSocket = telephony.port('wss') ?? telephony.port('ws')
  const scheme = telephony.port('wss') === undefined ? 'ws' : 'wss'
  return {
    publicUrl,
    sip: {
      host,
      port: telephony.port('udp') ?? settings.OFFHOOK_SIP.port,
      webSocketUrl: () =>
        ownWebSocket === undefined
          ? `${publicUrl().replace(/^http/, 'ws')}${webSocketPath}`
          : `${scheme}://${host}:${ownWebSocket}${webSocketPath}`,
    },
    smppAddresses: sms.addresses,
    carrierCode: settings.OFFHOOK_CARRIER_CODE,
    country: settings.OFFHOOK_COUNTRY,
    currency: settings.OFFHOOK_CURRENCY,
    passwordGrant: settings.OFFHOOK_PASSWORD_GRANT,
  }
}
