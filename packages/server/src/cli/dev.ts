import type { ExtendedEvent } from '@offhook/contract/assistant/events.ts'
import { environmentWithFile } from '#settings/config-file.ts'
import { withConsole } from '#cli/start/build.ts'
import { checkWebhook, checkWebSocket } from './dev/check-assistant.ts'
import { eventsAskedFor, eventsLine, withEvents } from './dev/extended-events.ts'
import type { Flow } from './connection/choose-flow.ts'
import { answers, baseUrlOf, connect, firstRunNotes, inWords, type Connection, type ConnectionOptions } from './connection/connection.ts'
import { listen, webAddress } from './listen.ts'
import { Mistake } from './terminal/mistake.ts'
import { openBrowser } from './dev/open-browser.ts'
import { overBar, paint } from './terminal/paint.ts'
import { settingsOf } from './start/settings.ts'
import { tail } from './tail.ts'
import { untilInterrupted } from './terminal/until-interrupted.ts'
import { welcome } from './start/welcome.ts'

export interface DevOptions extends ConnectionOptions {
  endpoint?: string
  ws?: string
  /** True: the usual ones. */
  events?: string | true
  bytes?: boolean
  open: boolean
}

/** What the flow is for: one of the two. */
type Target = { webhookUrl: string } | { websocketUrl: string }

/** A flow for an endpoint on this machine, the console on it, and everything that happens to it. */
export const dev = async (options: DevOptions): Promise<void> => {
  const target = targetOf(options)
  const events = eventsAskedFor(options.events)
  const connection = await reach(options, target)
  const { flow, secret } = await flowFor(connection, target, events).catch((error: unknown) => {
    throw inWords(error, connection.baseUrl)
  })
  const page = `${connection.baseUrl}/console/talk/${encodeURIComponent(flow.id)}`
  introduce(connection, flow, { secret, page, events: eventsLine(flow.extended_events, 'webhookUrl' in target) })
  if (options.open && process.stdout.isTTY) openBrowser(page)
  const { baseUrl: url, token } = connection
  const signal = untilInterrupted()
  const watching = tail({ url, token, flow: flow.id, bytes: options.bytes === true, signal })
  // The service itself may not call addresses of this machine; what is behind `listen` may.
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
  if (options.url !== undefined || environmentWithFile(process.env)['OFFHOOK_URL'] !== undefined) return connect(options) // and say that it is not there
  const { runService } = await import('./start/run-service.ts')
  const settings = settingsOf(environmentFor(target))
  const ending = new AbortController()
  const { http, firstStart } = await withConsole(() => runService(settings, ending), ending)
  if (ending.signal.aborted) return new Promise(() => {}) // interrupted already; the service ends this process
  console.error(welcome(firstStart, http))
  return connect({ ...options, url: http })
}

/** The service itself connects to a WebSocket on this machine, so that has to be allowed; and its log would hide the events. */
const environmentFor = (target: Target): NodeJS.ProcessEnv => {
  const { OFFHOOK_EGRESS_ALLOW = '', OFFHOOK_LOG = 'warn' } = environmentWithFile(process.env)
  const own = 'websocketUrl' in target ? [new URL(target.websocketUrl).host] : []
  const allowed = [...OFFHOOK_EGRESS_ALLOW.split(','), ...own].filter((one) => one !== '')
  return { ...process.env, OFFHOOK_LOG, OFFHOOK_EGRESS_ALLOW: allowed.join(',') }
}

/** The flow that has this endpoint already, or a new one; with these events beside those that it has. */
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

/** A change replaces everything that is set, so everything that can be set is sent again. */
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
