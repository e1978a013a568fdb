import type { Settings } from '#settings/config.ts'
import { askHealth, findInstance, type FoundInstance } from './connection/instance.ts'
import { checkCertificates } from './doctor/certificates.ts'
import { checkClock } from './doctor/clock.ts'
import { checkEmergency } from './doctor/emergency.ts'
import { type Check, type Finding, type DoctorContext, suspect, fine, broken } from './doctor/finding.ts'
import { checkFiles } from './doctor/files.ts'
import { checkPorts, checkSound } from './doctor/network.ts'
import { checkPackages } from './doctor/packages.ts'
import { checkReach } from './doctor/reach.ts'
import { checkDatabase, checkSecrets } from './doctor/storage.ts'
import { checkVersions } from './doctor/versions.ts'
import { webAddress } from './listen.ts'
import { Mistake } from './terminal/mistake.ts'
import { paint } from './terminal/paint.ts'
import { settingsOf } from './start/settings.ts'
import type { soundStates } from '@offhook/contract/v2/timeline.ts'
import { storedRows } from './doctor/stored-rows.ts'
import { resolve, dirname, join } from 'node:path'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect } from 'node:net'
import { addressRules } from '#adapters/address-rules.ts'
import { outboundHttp } from '#adapters/outbound-http.ts'
import { outboundSockets } from '#adapters/outbound-sockets.ts'
import { readdir, stat, statfs } from 'node:fs/promises'
import { modelSizes, sizesInWords, missingPackages, modelsFolder, partsFor } from '#adapters/speech/models/model-list.ts'
import { startCommand } from '../places.ts'
import { missingSpeechRuntime } from '#adapters/speech/speech-runtime.ts'

export const checkNode: Check = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNew = major > 24 || (major === 24 && minor >= 10)
  const where = `${process.versions.node} on ${process.platform}-${process.arch}`
  if (!isNew) return [broken('Node', where, `Start it with ${startCommand}, which brings its own.`)]
  return [fine('Node', where)]
}

const megabyte = 1e6

export const checkDisk: Check = async ({ settings }) => {
  const folder = await existing(settings.OFFHOOK_DATA)
  const { bavail, bsize } = await statfs(folder)
  const free = Math.floor((bavail * bsize) / megabyte)
  const daily = await dailyMegabytes(settings.OFFHOOK_DATA)
  const days = daily === undefined || daily < 1 ? Infinity : Math.floor(free / daily)
  const trend = days === Infinity ? '' : `; ${Math.round(daily ?? 0)} MB came a day in the last week, so it lasts for ${days} days`
  const says = `${free} MB free for ${settings.OFFHOOK_DATA}${trend}`
  if (free < 200) return [broken('disk', says, 'Make room, or set OFFHOOK_DATA to another disk.')]
  if (days < 14) return [suspect('disk', says, 'Make room, lower OFFHOOK_RECORDINGS_DAYS, or keep files elsewhere (OFFHOOK_FILES).')]
  return free < 2000 ? [suspect('disk', says, 'An hour of recording takes 115 MB.')] : [fine('disk', says)]
}

const weekMs = 7 * 86_400_000
const maxFiles = 50_000

/** Estimated from the files of the last week; undefined if there are too many to read. */
const dailyMegabytes = async (folder: string): Promise<number | undefined> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('offhook.db'))
  if (files.length > maxFiles) return undefined
  const since = Date.now() - weekMs
  let bytes = 0
  for (const { parentPath, name } of files) {
    const { mtimeMs, size } = await stat(join(parentPath, name)).catch(() => ({ mtimeMs: 0, size: 0 }))
    if (mtimeMs >= since) bytes += size
  }
  return bytes / 7 / megabyte
}

/** The folder, or its nearest existing parent. */
const existing = async (folder: string): Promise<string> => {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  )
  return isThere || dirname(folder) === folder ? folder : existing(dirname(folder))
}

export const checkModels: Check = async (context) => {
  const { OFFHOOK_SPEECH: way, OFFHOOK_MODELS } = context.settings
  const folder = modelsFolder(OFFHOOK_MODELS)
  if (way !== 'embedded' || folder === undefined) return [speechWithoutModels(context)]
  const unusable = missingSpeechRuntime()
  if (unusable !== undefined) return [speechWithoutModels(context, unusable)]
  const sizes = modelSizes(context.settings)
  const missing = await missingPackages(folder, partsFor(sizes))
  if (missing.length === 0) return [fine('speech', `all models are in ${folder}: ${sizesInWords(sizes)}`)]
  const size = Math.round(missing.reduce((sum, { bytes }) => sum + bytes, 0) / megabyte)
  return [broken('speech', `${missing.length} models (${size} MB) are missing in ${folder}`, 'npx offhook models fetches them.')]
}

const speechWithoutModels = ({ settings }: DoctorContext, unusable?: string): Finding => {
  const {
    OFFHOOK_SPEECH: way,
    OFFHOOK_OPENAI_URL,
    OFFHOOK_OPENAI_KEY,
    OFFHOOK_DEEPGRAM_KEY,
    OFFHOOK_AZURE_KEY,
    OFFHOOK_ELEVENLABS_KEY,
  } = settings
  const has = [OFFHOOK_OPENAI_URL, OFFHOOK_OPENAI_KEY, OFFHOOK_DEEPGRAM_KEY, OFFHOOK_AZURE_KEY, OFFHOOK_ELEVENLABS_KEY].some(Boolean)
  const says = unusable ?? (way === 'embedded' ? 'OFFHOOK_MODELS=off' : `OFFHOOK_SPEECH=${way}`)
  if (way === 'service') return fine('speech', 'OFFHOOK_SPEECH=service: speech services hear and speak')
  return has
    ? fine('speech', `${says}; providers are set`)
    : suspect('speech', says, 'Assistants hear and speak only with models or a provider.')
}

/** State of the service on this data folder. */
export const checkService: Check = (context) => {
  const { instance, runsAt } = context
  if (instance?.state === 'silent' && runsAt === undefined)
    return [
      broken(
        'service',
        `process ${instance.notes.pid} is there, but does not answer at ${instance.notes.addresses.http}`,
        'See its log. If it is none of ours, remove instance.json from the data folder.',
      ),
    ]
  if (instance?.state === 'running') return [running(instance.notes), ...otherSettings(context)]
  if (runsAt !== undefined) return [fine('service', `running at ${runsAt}`)]
  return [
    instance
      ? suspect(
          'service',
          `none is running; the last one was killed (started ${instance.notes.startedAt})`,
          'See its log. The next start settles what was left.',
        )
      : fine('service', 'none is running'),
  ]
}

type Notes = NonNullable<DoctorContext['instance']>['notes']

const running = ({ pid, addresses, startedAt }: Notes): Finding =>
  fine('service', `running at ${addresses.http} as process ${pid} since ${startedAt}`)

/** Warns when the running service was started with other settings than those checked here. */
const otherSettings = ({ instance, settings }: DoctorContext): Finding[] => {
  const { addresses, config } = instance?.notes ?? {}
  const given = process.env['OFFHOOK_CONFIG']
  const here = given === undefined || given === '' ? undefined : resolve(given)
  const advice = 'Restart the service, or check it with the settings that it has.'
  if (config !== undefined && config !== here)
    return [
      suspect(
        'settings',
        `the service was started with ${config}, not with ${here ?? 'the environment alone'}`,
        `offhook doctor --config ${config}`,
      ),
    ]
  const { port } = settings.OFFHOOK_HTTP
  const listens = addresses && Number(new URL(addresses.http).port || 80)
  return port === 0 || port === listens
    ? []
    : [suspect('settings', `OFFHOOK_HTTP is port ${port} now, but the service listens at ${addresses?.http}`, advice)]
}

const recentMs = 86_400_000

type SoundTrouble = Exclude<(typeof soundStates)[number], 'heard'>

interface Row {
  name: string
  state: SoundTrouble
}

const advice: Readonly<Record<SoundTrouble, string>> = {
  unknown_source: 'Their sound comes from another address than their SDP and signalling name: a VPN or a second network on the phone?',
  unknown_format: 'Their sound has another codec or key than agreed: look at the codecs of the phone.',
  nothing: 'No sound arrives: are the UDP ports of OFFHOOK_RTP open, and is OFFHOOK_PUBLIC_ADDRESS right?',
  stopped: 'Their sound stops in the middle of calls: does a router on the way forget UDP connections?',
  unheard: 'Our sound does not arrive there: does a firewall on the way hold back UDP?',
}

const question = 'select sip_username as name, sound_state as state from device where sip_username is not null and sound_at >= ?'

/** Phones with audio problems in the last day, by their call records. */
export const checkPhones: Check = async ({ settings }) => {
  const rows = await storedRows<Row>(settings, question, [Date.now() - recentMs])
  if (rows === undefined) return []
  if (rows.length === 0) return [fine('phones', 'heard well in the last day, as far as calls can tell')]
  return [...Map.groupBy(rows, ({ state }) => state)].map(([state, found]): Finding => {
    const names = found.map(({ name }) => name).toSorted()
    const says = `${names.length === 1 ? 'one' : names.length} with trouble (${state}) in the last day: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}`
    return suspect('phones', says, advice[state])
  })
}

const timeoutMs = 4_000

/** Checks that every external address in the settings is reachable, and no other: an installation may be offline. */
export const checkWaysOut: Check = async ({ settings }) => {
  const named: [string, string | undefined][] = [
    ['OFFHOOK_SMTP_URL', settings.OFFHOOK_SMTP_URL],
    ['OFFHOOK_OPENAI_URL', settings.OFFHOOK_OPENAI_URL ?? (settings.OFFHOOK_OPENAI_KEY && 'https://api.openai.com')],
    ['OFFHOOK_OPENAI_TTS_URL', settings.OFFHOOK_OPENAI_TTS_URL],
    ['OFFHOOK_DEEPGRAM_KEY', settings.OFFHOOK_DEEPGRAM_KEY && 'https://api.deepgram.com'],
    ['OFFHOOK_ELEVENLABS_KEY', settings.OFFHOOK_ELEVENLABS_KEY && 'https://api.elevenlabs.io'],
  ]
  const findings = await Promise.all(named.flatMap(([name, url]) => (url ? [reach(name, new URL(url))] : [])))
  const allowed = settings.OFFHOOK_EGRESS_ALLOW
  const says = allowed.length === 0 ? 'endpoints at public addresses only' : `besides public addresses: ${allowed.join(', ')}`
  return [fine('ways out', says), ...findings]
}

const defaultPorts: Record<string, number> = { 'https:': 443, 'http:': 80, 'smtp:': 587, 'smtps:': 465 }

const reach = async (name: string, { protocol, hostname, port }: URL): Promise<Finding> => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = connect({ host, port: Number(port || defaultPorts[protocol]) })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(timeoutMs) })
    return fine(host, `can be reached (${name})`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return broken(host, `cannot be reached (${name}): ${code ?? message}`, 'Is the address right? Does a firewall let it through?')
  } finally {
    socket.destroy()
  }
}

/** Uses the same request and address rules as the service. */
export const checkEndpoint: Check = async ({ endpoint, settings }) => {
  if (endpoint === undefined) return []
  const { hostname, host, port, protocol } = new URL(endpoint)
  const name = hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = await lookup(name, { all: true }).catch(() => [])
  if (addresses.length === 0) return [broken(host, 'has no address', 'Is it spelt right? Does DNS work here?')]
  const rules = addressRules(settings.OFFHOOK_EGRESS_ALLOW)
  const asked = Number(port) || (/^(https|wss):/.test(protocol) ? 443 : 80)
  if (!rules.allowsName(name, asked) && !addresses.every(({ address }) => rules.allowsAddress(address, asked))) return [notAllowed(host)]
  if (/^wss?:/.test(protocol)) return [await checkWebSocket(endpoint, host, settings.OFFHOOK_EGRESS_ALLOW)]
  const outbound = outboundHttp({ allow: settings.OFFHOOK_EGRESS_ALLOW })
  try {
    const { status } = await outbound.request({ url: endpoint, method: 'POST', body: '{}', deadlineMs: timeoutMs, maxBytes: 100_000 })
    return [fine(host, `answers ${status}`)]
  } catch (error) {
    return [broken(host, (error as Error).message, 'Is your endpoint running?')]
  } finally {
    await outbound.close()
  }
}

const checkWebSocket = async (url: string, host: string, allow: Settings['OFFHOOK_EGRESS_ALLOW']): Promise<Finding> => {
  const sockets = outboundSockets({ allow })
  const { promise, resolve } = Promise.withResolvers<Finding>()
  const nothing = (): void => {}
  const socket = sockets.connect(
    { url, headers: {}, handshakeMs: timeoutMs, maxBytes: 100_000 },
    {
      opened: () => resolve(fine(host, 'opens a WebSocket')),
      said: nothing,
      saidBytes: nothing,
      pong: nothing,
      closed: ({ message }) => resolve(broken(host, message, 'Is your endpoint running? Does it want the key of the flow?')),
    },
  )
  const finding = await promise
  socket.close()
  await sockets.close()
  return finding
}

const notAllowed = (host: string): Finding =>
  suspect(
    host,
    'the service may not call it: the address is not public and not on the list of exceptions',
    `OFFHOOK_EGRESS_ALLOW=${host}, or use offhook dev or listen, which need no permission.`,
  )

export interface DoctorOptions {
  endpoint?: string
  json?: boolean
}

const checks: Check[] = [
  checkNode,
  checkService,
  checkVersions,
  checkPorts,
  checkSound,
  checkReach,
  checkCertificates,
  checkPackages,
  checkDatabase,
  checkPhones,
  checkEmergency,
  checkSecrets,
  checkFiles,
  checkModels,
  checkDisk,
  checkClock,
  checkWaysOut,
  checkEndpoint,
]

const marks = { fine: ['green', '✔'], doubtful: ['yellow', '!'], broken: ['red', '✖'] } as const

/** Checks everything that a start needs and the running service, and prints advice. */
export const doctor = async ({ endpoint, json }: DoctorOptions): Promise<void> => {
  const settings = settingsOf(process.env)
  const instance = await findInstance([settings.OFFHOOK_DATA])
  const runsAt = await whereItRuns(settings, instance)
  const context: DoctorContext = { settings, instance, runsAt, endpoint: endpoint === undefined ? undefined : addressOfEndpoint(endpoint) }
  const findings: Finding[] = []
  for (const check of checks) {
    for (const finding of await findingsOf(check, context)) {
      if (json !== true) console.log(lineOf(finding))
      findings.push(finding)
    }
  }
  const wrong = findings.filter(({ state }) => state === 'broken').length
  if (json === true) console.log(JSON.stringify({ well: wrong === 0, runsAt, instance: instance?.notes, findings }, null, 2))
  if (wrong > 0) throw new Mistake(1, wrong === 1 ? 'One thing is wrong.' : `${wrong} things are wrong.`)
}

/** URL of a webhook or WebSocket. */
const addressOfEndpoint = (text: string): string => webAddress(text, /^wss?:/i.test(text) ? 'ws' : 'http')

/** By its notes; else by the settings: a service of an older version writes none. */
const whereItRuns = async (settings: Settings, instance: FoundInstance | undefined): Promise<string | undefined> => {
  if (instance?.state === 'running') return instance.notes.addresses.http
  const url = addressOf(settings)
  return url !== undefined && (await askHealth(url)) ? url : undefined
}

/** Address of a service with these settings; one elsewhere is another one. */
const addressOf = ({ OFFHOOK_HTTP: { host, port } }: Settings): string | undefined => {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host
  return port === 0 ? undefined : `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

const findingsOf = async (check: Check, context: DoctorContext): Promise<Finding[]> => {
  try {
    return await check(context)
  } catch (error) {
    return [{ about: check.name, state: 'broken', says: (error as Error).message }]
  }
}

const lineOf = ({ about, state, says, advice }: Finding): string => {
  const [colour, mark] = marks[state]
  return `${paint(colour, mark)} ${about.padEnd(16)}${says}${advice === undefined ? '' : `\n  ${''.padEnd(16)}${paint('bold', advice)}`}`
}
