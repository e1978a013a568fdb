import { access, constants, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, clientOf, type Client } from '@offhook/sdk/client-of.ts'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { startCommand } from '#places.ts'
import { environmentWithFile } from '#settings/config-file.ts'
import { dataFolders, findInstance } from './instance.ts'
import { Mistake } from '../terminal/mistake.ts'
import type { ErrorCode } from '@offhook/contract/errors.ts'
import type { operations } from '@offhook/contract'

/** Options of every command that connects to a service. */
export interface ConnectionOptions {
  url?: string
  token?: string
}

/** A reachable service, and the token for it. */
export interface Connection {
  baseUrl: string
  token: string
  api: Pick<Client, keyof typeof routes>
  notes: LocalNotes
}

interface LocalNotes extends Partial<FirstRunNotes> {
  /** Flow that `offhook dev` opened last. */
  openedFlowId?: string
}

const openedFile = 'opened-flow.json'

/** Notes of the first start in this folder, else of the clone, so that commands work in every folder. */
export const firstRunNotes = async (environment = process.env): Promise<LocalNotes> => {
  const folder = await notesFolder(environment)
  if (folder === undefined) return {}
  const read = async (file: string): Promise<LocalNotes> => JSON.parse(await readFile(join(folder, file), 'utf8')) as LocalNotes
  return { ...(await read('first-run.json')), ...(await read(openedFile).catch(() => ({}))) }
}

/** The folder of the notes; undefined when the first start was on another machine. */
const notesFolder = async (environment: NodeJS.ProcessEnv): Promise<string | undefined> => {
  for (const folder of dataFolders(environment)) if (await readable(join(folder, 'first-run.json'))) return folder
  return undefined
}

const readable = (file: string): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  )

/** Notes the flow for commands without --flow; best effort, because the folder may belong to another user. */
export const noteOpenedFlow = async (openedFlowId: string, environment = process.env): Promise<void> => {
  const folder = await notesFolder(environment)
  if (folder === undefined) return
  await writeFile(join(folder, openedFile), `${JSON.stringify({ openedFlowId } satisfies LocalNotes)}\n`, { mode: 0o600 }).catch(() => {})
}

/** Address of the service, in this order: option, OFFHOOK_URL, the running one here, the settings, notes of the first start, default. */
export const baseUrlOf = async ({ url }: ConnectionOptions, notes: Partial<FirstRunNotes>, environment = process.env): Promise<string> => {
  const { OFFHOOK_URL, OFFHOOK_HTTP = '' } = environmentWithFile(environment)
  const listening = /:0*[1-9]\d*$/.test(OFFHOOK_HTTP) ? `http://${OFFHOOK_HTTP.replace(/^0\.0\.0\.0:/, '127.0.0.1:')}` : undefined
  const said = url ?? OFFHOOK_URL ?? (await runningHere(environment)) ?? listening ?? notes.baseUrl ?? 'http://127.0.0.1:8080'
  if (!/^https?:\/\/[^/?#]+\/*$/.test(said)) throw new Mistake(2, `${said} is not the address of a service, such as http://127.0.0.1:8080`)
  return said.replace(/\/+$/, '')
}

const runningHere = async (environment: NodeJS.ProcessEnv): Promise<string | undefined> => {
  const found = await findInstance(dataFolders(environment))
  return found?.state === 'running' ? found.notes.addresses.http : undefined
}

export const tokenOf = ({ token }: ConnectionOptions, notes: Partial<FirstRunNotes>, environment = process.env): string => {
  const known = token ?? environmentWithFile(environment)['OFFHOOK_TOKEN'] ?? notes.token
  if (known === undefined)
    throw new Mistake(
      2,
      'A token is needed: --token, OFFHOOK_TOKEN, or data/first-run.json of the first start (here, or where OFFHOOK_DATA says).',
    )
  return known
}

export const connect = async (options: ConnectionOptions): Promise<Connection> => {
  const notes = await firstRunNotes()
  const baseUrl = await baseUrlOf(options, notes)
  const token = tokenOf(options, notes)
  return { baseUrl, token, notes, api: clientOf({ baseUrl, token }, routes) }
}

/** Whether a service is running there. */
export const answers = async (baseUrl: string): Promise<boolean> => {
  const reply = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined)
  await reply?.body?.cancel()
  return reply !== undefined
}

/** Errors of the service or of the connection, with advice. */
export const inWords = (error: unknown, baseUrl: string): unknown => {
  const isForeign = error instanceof SyntaxError || (error instanceof ApiError && Object.keys(error.body).length === 0)
  if (isForeign) return new Mistake(1, `What answers at ${baseUrl} is not Offhook. Where is it? --url, OFFHOOK_URL`)
  if (error instanceof ApiError) return new Mistake(1, `${error.message}${detailsOf(error)}${adviceFor(error.body.code)}`)
  const isUnreachable = error instanceof TypeError && error.cause !== undefined
  return isUnreachable
    ? new Mistake(1, `There is no service at ${baseUrl}. Start one with: ${startCommand}, or say where it is: --url, OFFHOOK_URL`)
    : error
}

/** Details of several errors; a single one is in the message. */
const detailsOf = ({ message, body: { details = [] } }: ApiError): string =>
  details
    .filter(({ problem }) => !message.includes(problem))
    .map(({ field, problem }) => `\n  ${field}: ${problem}`)
    .join('')

/** Advice to the user for errors of the service. */
const advice: Partial<Record<ErrorCode, string>> = {
  invalid_token: 'Use one of this service: --token, OFFHOOK_TOKEN, or data/first-run.json of its first start.',
  callee_invalid: 'Write it as you would dial it: +4930123456, 030123456, or an extension such as e1.',
  number_invalid: 'Write it with its country: +4930123456.',
  caller_invalid: '--device takes the id of one of your phones, such as e0. The console lists them under Devices.',
  caller_not_reachable:
    'Register your phone first: docs/guides/sip-phone.md, with the SIP account of data/first-run.json. Without a phone: offhook say, or Talk in the console.',
  outbound_not_enabled: 'The operator enables them: log in to the console as the operator, and open Accounts.',
  insufficient_funds: 'The operator tops it up: log in to the console as the operator, and open Accounts.',
}

const adviceFor = (code: string | undefined): string => {
  const what = advice[code as ErrorCode]
  return what === undefined ? '' : `\n${what}`
}

type Operations = typeof operations

/** Operations that commands use, checked against the contract by types only: loading its schemas takes a quarter of a second. */
const routes = {
  callFlow: { method: 'POST', path: '/v3/ai-flows/{aiFlowId}/call' },
  cancelAccountErasure: { method: 'DELETE', path: '/operator/v1/privacy/erasures/{erasureId}' },
  cancelErasure: { method: 'DELETE', path: '/v1/privacy/erasures/{erasureId}' },
  changeFlow: { method: 'PUT', path: '/v3/ai-flows/{aiFlowId}' },
  createAccountErasure: { method: 'POST', path: '/operator/v1/privacy/erasures' },
  createAccountExport: { method: 'POST', path: '/operator/v1/privacy/exports' },
  createDataExport: { method: 'POST', path: '/v1/privacy/exports' },
  createErasure: { method: 'POST', path: '/v1/privacy/erasures' },
  createFlow: { method: 'POST', path: '/v3/ai-flows' },
  createPersonalToken: { method: 'POST', path: '/v1/authorization/personaltokens' },
  deletePersonalToken: { method: 'DELETE', path: '/v1/authorization/personaltokens/{tokenId}' },
  explainCall: { method: 'GET', path: '/v2/calls/{callId}/explanation' },
  getCallScenario: { method: 'GET', path: '/v2/calls/{callId}/scenario' },
  getDataExport: { method: 'GET', path: '/v1/privacy/exports/{exportId}' },
  getTestRun: { method: 'GET', path: '/v3/ai-flows/{aiFlowId}/test-runs/{runId}' },
  getTimeline: { method: 'GET', path: '/v2/calls/{callId}/timeline' },
  getUserInfo: { method: 'GET', path: '/v1/authorization/userinfo' },
  listFlows: { method: 'GET', path: '/v3/ai-flows' },
  listNodes: { method: 'GET', path: '/operator/v1/nodes' },
  listOwnHistory: { method: 'GET', path: '/v2/history' },
  listPersonalTokens: { method: 'GET', path: '/v1/authorization/personaltokens' },
  listResults: { method: 'GET', path: '/v3/ai-flows/{aiFlowId}/results' },
  listScenarios: { method: 'GET', path: '/v3/ai-flows/{aiFlowId}/scenarios' },
  listTrunks: { method: 'GET', path: '/operator/v1/trunks' },
  listUserDevices: { method: 'GET', path: '/v1/{userId}/devices' },
  readMetrics: { method: 'GET', path: '/operator/v1/metrics' },
  readAccountExport: { method: 'GET', path: '/operator/v1/privacy/exports/{exportId}' },
  runLab: { method: 'POST', path: '/v2/calls/{callId}/lab' },
  setScenario: { method: 'PUT', path: '/v3/ai-flows/{aiFlowId}/scenarios/{name}' },
  startCall: { method: 'POST', path: '/v1/sessions/calls' },
  startTalk: { method: 'POST', path: '/v3/ai-flows/{aiFlowId}/talks' },
  startTestRun: { method: 'POST', path: '/v3/ai-flows/{aiFlowId}/test-runs' },
  testFlow: { method: 'POST', path: '/v3/ai-flows/{aiFlowId}/test' },
} satisfies { [Id in keyof Operations]?: Pick<Operations[Id], 'method' | 'path'> }
