import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, clientOf, type Client } from '@offhook/sdk/client-of.ts'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { startCommand } from '#places.ts'
import { environmentWithFile } from '#settings/config-file.ts'
import { adviceFor } from './advice.ts'
import { dataFolders, findInstance } from './instance.ts'
import { Mistake } from '../terminal/mistake.ts'
import { routes } from './routes.ts'

/** The options of every command that connects to a service. */
export interface ConnectionOptions {
  url?: string
  token?: string
}

/** A service that answers, and the token for it. */
export interface Connection {
  baseUrl: string
  token: string
  api: Pick<Client, keyof typeof routes>
  notes: Partial<FirstRunNotes>
}

/** What the first start in this folder wrote down; or that of the clone, so that commands work in every folder. */
export const firstRunNotes = async (environment = process.env): Promise<Partial<FirstRunNotes>> => {
  for (const folder of dataFolders(environment)) {
    const text = await readFile(join(folder, 'first-run.json'), 'utf8').catch(() => undefined)
    if (text !== undefined) return JSON.parse(text) as Partial<FirstRunNotes>
  }
  return {}
}

/** The service's address: option, OFFHOOK_URL, the one that runs here, the settings, notes of the first start, default, in this order. */
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

/** Errors of the service, or that it cannot be reached, with advice. */
export const inWords = (error: unknown, baseUrl: string): unknown => {
  const isForeign = error instanceof SyntaxError || (error instanceof ApiError && Object.keys(error.body).length === 0)
  if (isForeign) return new Mistake(1, `What answers at ${baseUrl} is not Offhook. Where is it? --url, OFFHOOK_URL`)
  if (error instanceof ApiError) return new Mistake(1, `${error.message}${detailsOf(error)}${adviceFor(error.body.code)}`)
  const isUnreachable = error instanceof TypeError && error.cause !== undefined
  return isUnreachable
    ? new Mistake(1, `There is no service at ${baseUrl}. Start one with: ${startCommand}, or say where it is: --url, OFFHOOK_URL`)
    : error
}

/** Of several things that are wrong; a single one is in the message. */
const detailsOf = ({ message, body: { details = [] } }: ApiError): string =>
  details
    .filter(({ problem }) => !message.includes(problem))
    .map(({ field, problem }) => `\n  ${field}: ${problem}`)
    .join('')
