import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { openEndpoints, type OpenEndpointsParts } from './adapters/endpoint/endpoints.ts'
import { withDemoAssistant } from './adapters/demo-door.ts'
import { argon2Passwords } from './adapters/passwords/argon2-passwords.ts'
import { openAssistants } from './assistants.ts'
import { blame } from './cannot-start.ts'
import type { Settings } from './config.ts'
import { Calls } from './core/call/calls.ts'
import { Leases } from './core/call/leases.ts'
import { doubtAll, recoverAll } from './core/call/recover-calls.ts'
import { Tasks } from './core/call/tasks.ts'
import type { FaxDesk } from './core/fax/fax-desk.ts'
import { FaxLinks } from './core/fax/fax-links.ts'
import { Authenticator } from './core/identity/authenticate.ts'
import type { Clock } from './core/ports/clock.ts'
import type { Endpoints } from './core/ports/endpoint.ts'
import type { PhoneMessages } from './core/ports/sms-routes.ts'
import type { Passwords } from './core/ports/passwords.ts'
import type { Speech } from './core/ports/speech.ts'
import type { SavedDialog } from './core/ports/telephony.ts'
import { acceptSms } from './core/sms/accept-sms.ts'
import { sendFromPhone } from './core/sms/send-from-phone.ts'
import { RecordingLinks } from './core/recordings/recording-links.ts'
import { openFaxes } from './faxes.ts'
import { dataFolder, openGround, type Ground, type Open } from './ground.ts'
import { firstStart, type FirstStart } from './first-start.ts'
import type { Installation, Parts } from './http/parts.ts'
import { buildServer } from './http/server.ts'
import { bracketed } from './sip/host.ts'
import { openPush } from './push.ts'
import { openSms, type Sms } from './sms.ts'
import { openSpeech } from './speech.ts'
import { makeBelieve, openSandbox } from './sandbox.ts'
import { openTelephone, type Telephone } from './telephone.ts'
import { buildWorkers } from './workers.ts'

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
  logger?: Logger
  /** How assistants hear and speak … */
  speech?: Speech
  /** … and whom they ask. */
  endpoints?: OpenedEndpoints
}

type OpenedEndpoints = Endpoints & { close?(): Promise<void> }

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
  const { logger, clock, callClock, wallClock, vault, store, recordingFiles } = ground
  const speech = open(replaced.speech ?? (await openSpeech({ settings, logger, clock: wallClock })))

  let listening = ''
  const { OFFHOOK_DATA: data, OFFHOOK_DEMO: demo } = settings
  const door = demo ? open(withDemoAssistant(ground.outbound, () => listening)) : ground.outbound
  const endpoints = replaced.endpoints ?? openCustomers({ ...ground, clock: callClock, outbound: door })
  const publicUrl = () => settings.OFFHOOK_PUBLIC_URL ?? listening
  const leasing = new Tasks()
  const onFailure = (error: unknown, callId: string): void => logger.error({ err: error, callId }, 'a call could not be kept')
  const leases = new Leases({ store, clock: callClock, tasks: leasing, onFailure })
  const sayBye = (dialog: SavedDialog): Promise<void> => telephone.telephony.sayBye(dialog)
  const recovery = { store, clock: callClock, files: recordingFiles, sayBye, onFailure, survivor: leases }
  const push = open(openPush({ ...ground, onError: (error) => logger.error({ err: error }, 'a call could not be told') }))
  const desk = { clock, vault, carrierCode: settings.OFFHOOK_CARRIER_CODE, publicUrl }
  const recordings = { files: recordingFiles, keptDays: settings.OFFHOOK_RECORDINGS_DAYS }
  const lookEveryMs = replaced.lookEveryMs ?? 1_000
  const phones: PhoneMessages = { send: (to, message) => telephone.telephony.messages.send(to, message) }
  const sms = openSms({ ...ground, settings, phones, publicUrl, wake: () => workers.wake(), lookEveryMs })
  const workers = open(
    buildWorkers({
      ...ground,
      makeBelieve: makeBelieve(ground),
      endpoints,
      sms: sms.parts,
      sendFax: (fax) => faxes.send(fax),
      desk,
      deliverNotice: push.deliver,
      recovery,
      recordings,
      lookEveryMs,
    }),
  )
  open(endpoints) // closed before the workers, which would wait for those that do not answer
  open(sms)
  open({ close: () => push.stop() })
  const wake = (): void => workers.wake()
  const assistants = openAssistants({ ...ground, clock: callClock, speech, endpoints, leases, wake })
  const calls = new Calls()
  const readTrunksEveryMs = Math.max(lookEveryMs, 30_000)
  const telephone = await openTelephone({
    ...ground,
    clock: callClock,
    settings,
    calls,
    assistants,
    guide: push.guide,
    leases,
    wake,
    readTrunksEveryMs,
  })
  const faxes = openFaxes({ ...ground, clock: callClock, telephony: telephone.telephony, leases, wake })
  const installation = describe(settings, telephone, sms, publicUrl)
  const sandbox = openSandbox(ground, { workers, busy: () => telephone.switchboard.size > 0 || leases.size > 0 })
  if (sandbox) open(sandbox)
  const shared = { ...ground, sandbox, calls, speech, installation, pushKey: push.key, wake }
  const parts = restParts(shared, { telephone, sms, faxes }, replaced)
  const { messages } = telephone.telephony
  messages.onText(sendFromPhone({ ...parts, phones: messages }))
  const { OFFHOOK_RATE_LIMIT: rateLimit, OFFHOOK_TRUST_PROXY: trustProxy } = settings
  const app = open(buildServer(parts, { logger, rateLimit, trustProxy, demo }))
  open({ close: () => workers.flush(lastEndsMs) }) // after the telephone, with which the last sessions end
  open(telephone)
  open(faxes) // before the telephone, over which they are hung up
  telephone.telephony.attach(app.server, webSocketPath, trustProxy ? lastForwarded : undefined)
  listening = await app.listen(settings.OFFHOOK_HTTP)
  const first = await firstStart(parts, { data, demo }).catch(blame(dataFolder(settings)))
  await telephone.start()
  // With PostgreSQL another process may still have them: there the end of a lease decides. Before money that nobody asks for is given back.
  await (settings.DATABASE_URL === undefined ? recoverAll : doubtAll)({ ...recovery, wake }, leases.owner)
  await workers.start()
  await sms.start(parts)
  speech.prepare(await store.read.flows.languages())
  const { host, port } = installation.sip
  const idle = async (): Promise<void> => {
    for (const part of [sandbox, telephone, leasing, sms, faxes, workers]) await part?.idle()
    await endpoints.flush()
    await push.flush()
  }
  const drain = async (ms: number): Promise<void> => {
    await Promise.all([telephone.drain(ms), faxes.drain(ms)])
  }
  return { http: listening, sip: `sip:${bracketed(host)}:${port}`, firstStart: first, parts, idle, drain }
}

type Shared = Pick<Parts, 'sandbox' | 'calls' | 'speech' | 'installation' | 'pushKey' | 'wake'> & Ground

/** What carries calls, messages and faxes. */
interface Carriers {
  telephone: Telephone
  sms: Sms
  faxes: FaxDesk
}

/** What the REST interface works with. */
const restParts = (shared: Shared, { telephone, sms, faxes }: Carriers, { passwords }: Replaced): Parts => {
  const { telephony, switchboard } = telephone
  const { store, clock, vault, installation } = shared
  return {
    ...shared,
    passwords: passwords ?? argon2Passwords(),
    authenticator: new Authenticator(store, clock),
    line: {
      startCall: (order) => switchboard.startCall(order),
      sendFax: (order) => faxes.accept(order),
      sendSms: (order) => acceptSms(sms.parts, order),
    },
    sms: sms.parts,
    smsRoutes: sms.states,
    smsGateway: sms.gateway,
    trunkStates: telephony.trunkStates,
    recordingLinks: new RecordingLinks({ store, clock, vault, publicUrl: installation.publicUrl }),
    faxLinks: new FaxLinks({ store, clock, vault, publicUrl: installation.publicUrl }),
  }
}

const webSocketPath = '/sip'

/** What the proxy in front of us added itself. */
const lastForwarded = ({ headers, socket }: IncomingMessage): string =>
  String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim() ||
  (socket.remoteAddress ?? '')

const describe = (settings: Settings, { telephony }: Telephone, sms: Sms, publicUrl: () => string): Installation => {
  const host = settings.OFFHOOK_PUBLIC_ADDRESS ?? settings.OFFHOOK_SIP.host
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
          : `${scheme}://${bracketed(host)}:${ownWebSocket}${webSocketPath}`,
    },
    smppAddresses: sms.addresses,
    carrierCode: settings.OFFHOOK_CARRIER_CODE,
    country: settings.OFFHOOK_COUNTRY,
    currency: settings.OFFHOOK_CURRENCY,
    passwordGrant: settings.OFFHOOK_PASSWORD_GRANT,
  }
}

const openCustomers = ({ logger, ...parts }: Omit<OpenEndpointsParts, 'random' | 'onError'> & { logger: Logger }): OpenedEndpoints =>
  openEndpoints({
    ...parts,
    random: Math.random,
    onError: (error) => logger.error({ err: error }, 'a delivery could not be written down'),
  })
