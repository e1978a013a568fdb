import {
  type ExtendedEvent,
  basicEvents,
  extendedEvents,
  usualExtendedEvents,
  webSocketEvents,
  type EventType,
} from '@offhook/contract/assistant/events.ts'
import { environmentWithFile } from '#settings/config-file.ts'
import { withConsole } from '#cli/start/build.ts'
import { checkWebhook, checkWebSocket } from './dev/check-assistant.ts'
import type { Flow } from './connection/choose-flow.ts'
import {
  answers,
  baseUrlOf,
  connect,
  firstRunNotes,
  inWords,
  noteOpenedFlow,
  type Connection,
  type ConnectionOptions,
} from './connection/connection.ts'
import { listen, webAddress } from './listen.ts'
import { Mistake } from './terminal/mistake.ts'
import { overBar, paint } from './terminal/paint.ts'
import { settingsOf } from './start/settings.ts'
import { tail } from './tail.ts'
import { untilInterrupted } from './terminal/until-interrupted.ts'
import { welcome } from './start/welcome.ts'
import { spawn } from 'node:child_process'
import { systemName } from '#adapters/machine/system.ts'

export interface DevOptions extends ConnectionOptions {
  endpoint?: string
  ws?: string
  /** True: the usual ones. */
  events?: string | true
  bytes?: boolean
  open: boolean
}

/** Endpoint of the flow: one of the two. */
type Target = { webhookUrl: string } | { websocketUrl: string }

/** Creates a flow for an endpoint on this machine, opens the console on it, and prints its events. */
export const dev = async (options: DevOptions): Promise<void> => {
  const target = targetOf(options)
  const events = eventsAskedFor(options.events)
  const connection = await reach(options, target)
  const { flow, secret } = await flowFor(connection, target, events).catch((error: unknown) => {
    throw inWords(error, connection.baseUrl)
  })
  await noteOpenedFlow(flow.id)
  const page = `${connection.baseUrl}/console/talk/${encodeURIComponent(flow.id)}`
  introduce(connection, flow, { secret, page, events: eventsLine(flow.extended_events, 'webhookUrl' in target) })
  if (options.open && process.stdout.isTTY) openBrowser(page)
  const { baseUrl: url, token } = connection
  const signal = untilInterrupted()
  const watching = tail({ url, token, flow: flow.id, bytes: options.bytes === true, signal })
  // The service must not call addresses of this machine; `listen` may.
  const handing = 'webhookUrl' in target ? [listen({ url, token, flow: flow.id, to: target.webhookUrl, quiet: true, signal })] : []
  const checking = 'webhookUrl' in target ? checkWebhook(target.webhookUrl) : checkWebSocket(connection, flow, target.websocketUrl)
  await Promise.all([watching, checking, ...handing])
}

const targetOf = ({ endpoint, ws }: DevOptions): Target => {
  if ((endpoint === undefined) === (ws === undefined)) throw new Mistake(2, 'Where is your assistant? --endpoint http://… or --ws ws://…')
  return endpoint === undefined ? { websocketUrl: webAddress(ws ?? '', 'ws') } : { webhookUrl: webAddress(endpoint) }
}

/** The running service; if there is none, one in this process. */
const reach = async (options: DevOptions, target: Target): Promise<Connection> => {
  const notes = await firstRunNotes()
  if (await answers(await baseUrlOf(options, notes))) return connect(options)
  if (options.url !== undefined || environmentWithFile(process.env)['OFFHOOK_URL'] !== undefined) return connect(options) // and report that it is not there
  const { runService } = await import('./start/run-service.ts')
  const settings = settingsOf(environmentFor(target))
  const ending = new AbortController()
  const { http, firstStart } = await withConsole(() => runService(settings, ending), ending)
  if (ending.signal.aborted) return new Promise(() => {}) // already interrupted; the service ends this process
  console.error(welcome(firstStart, http))
  return connect({ ...options, url: http })
}

/** Allows the service to connect to a WebSocket on this machine, and limits its log to warnings, because it would hide the events. */
const environmentFor = (target: Target): NodeJS.ProcessEnv => {
  const { OFFHOOK_EGRESS_ALLOW = '', OFFHOOK_LOG = 'warn' } = environmentWithFile(process.env)
  const own = 'websocketUrl' in target ? [new URL(target.websocketUrl).host] : []
  const allowed = [...OFFHOOK_EGRESS_ALLOW.split(','), ...own].filter((one) => one !== '')
  return { ...process.env, OFFHOOK_LOG, OFFHOOK_EGRESS_ALLOW: allowed.join(',') }
}

/** The existing flow of this endpoint, or a new one; adds these events to its own. */
const flowFor = async ({ api }: Connection, target: Target, events: readonly ExtendedEvent[]): Promise<{ flow: Flow; secret?: string }> => {
  const { items } = await api.listFlows()
  const isFor = (flow: Flow): boolean =>
    'webhookUrl' in target ? flow.webhookUrl === target.webhookUrl : flow.websocketUrl === target.websocketUrl
  const known = items.find(isFor)
  if (known) return { flow: events.length === 0 ? known : await turnedOn(api, known, events) }
  const { host } = new URL('webhookUrl' in target ? target.webhookUrl : target.websocketUrl)
  const { secret, ...flow } = await api.createFlow(
    {},
    { name: `dev ${host}`, ...target, ...(events.length > 0 && { extended_events: [...events] }) },
  )
  return { flow, secret }
}

/** A change replaces all settings, so all of them are sent again. */
const turnedOn = async (api: Connection['api'], flow: Flow, events: readonly ExtendedEvent[]): Promise<Flow> => {
  const { id, apiKeySet: _key, disabledBecause: _fault, listener: _listener, speech: _speech, ...input } = flow
  const extended_events = withEvents(flow.extended_events, events)
  await api.changeFlow({ aiFlowId: id }, { ...input, extended_events })
  return { ...flow, extended_events }
}

const introduce = (
  { notes }: Connection,
  { name, id, speech }: Flow,
  { secret, page, events }: { secret: string | undefined; page: string; events: string },
): void => {
  const lines: [string, string | undefined][] = [
    ['flow', `${name}  ${id}`],
    ['secret', secret],
    ['', secret && 'shown only now; your assistant checks it with WEBHOOK_SECRET=…'],
    ['talk to it', page],
    ['log in', notes.email === undefined ? undefined : `${notes.email}   password ${notes.password}`],
    ['or type', `npx offhook say --flow ${id}`],
    ['events', events],
    ['hears', speech.hears.missing],
    ['speaks', speech.speaks.missing],
  ]
  for (const [what, value] of lines)
    if (value !== undefined) console.error(overBar(`  ${paint('bold', what.padEnd(12), process.stderr)}${value}`, process.stderr))
  console.error('')
}

type Opener = readonly [program: string, ...before: string[]]

const openers: Record<string, readonly Opener[]> = {
  macos: [['open']],
  // The browser of Windows: wslview comes with wslu, the other with Windows. explorer.exe would take an address with a question mark for a folder.
  wsl: [['wslview'], ['rundll32.exe', 'url.dll,FileProtocolHandler'], ['xdg-open']],
}

/** Best effort: without a desktop, the address on the terminal must suffice. */
export const openBrowser = (address: string, system = systemName()): void => tryNext(address, openers[system] ?? [['xdg-open']])

/** A missing program is only detected when it is started. */
const tryNext = (address: string, [opener, ...others]: readonly Opener[]): void => {
  if (!opener) return
  const [program, ...before] = opener
  const child = spawn(program, [...before, address], { stdio: 'ignore', detached: true })
  child.on('error', () => tryNext(address, others))
  child.unref()
}

type Setting = NonNullable<Flow['extended_events']>

const isEvent = (name: string): name is ExtendedEvent => (extendedEvents as readonly string[]).includes(name)

/** Parses `--events`: without names the usual ones; `all`; or comma-separated names. */
export const eventsAskedFor = (option: string | true | undefined): readonly ExtendedEvent[] => {
  if (option === undefined) return []
  if (option === true) return usualExtendedEvents
  if (option === 'all') return extendedEvents
  const names = option.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isEvent(name))
  if (unknown.length > 0)
    throw new Mistake(2, `There is no event ${unknown.join(', ')}. --events all, or some of:\n${inLines(extendedEvents)}`)
  return names.filter(isEvent)
}

/** Adds the requested events: an endpoint keeps those it already gets. */
export const withEvents = (has: Setting | undefined, asked: readonly ExtendedEvent[]): ExtendedEvent[] => {
  const before = namesOf(has)
  return extendedEvents.filter((name) => before.includes(name) || asked.includes(name))
}

/** One line: the endpoint's events, and how to get more. */
export const eventsLine = (has: Setting | undefined, isWebhook: boolean): string => {
  const names = namesOf(has)
  const silent = names.filter((name) => isWebhook && (webSocketEvents as readonly EventType[]).includes(name))
  const notified = names.filter((name) => !silent.includes(name))
  const missing = extendedEvents.length - names.length
  return [
    [...basicEvents, ...notified].join(', '),
    ...(silent.length > 0 ? [`${silent.join(', ')} over a WebSocket only`] : []),
    ...(missing > 0 ? [`${missing} more with --events (the usual ones), --events all or --events name,…`] : []),
  ].join('; ')
}

const namesOf = (setting: Setting | undefined): readonly ExtendedEvent[] => {
  if (setting === true) return usualExtendedEvents
  return Array.isArray(setting) ? setting : []
}

const inLines = (names: readonly string[]): string => names.map((name) => `  ${name}`).join('\n')
