import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { assistant, createClient, type Client } from '@offhook/sdk'
import { toneSound } from '#adapters/speech/tones/tone-speech.ts'
import { resampleSound } from '#media/codec/resample.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { until } from '#test/machine/peer-process.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import type { Exchange } from '#test/service/exchange.ts'
import { ToneCaller } from '#test/sound/tone-caller.ts'

export const contacts = 4_000
export const entries = 20_000
export const sockets = 50
const tokens = 4

/** Credentials and targets of the noisy account. */
export interface Noise {
  http: string
  /** Authorization headers of four tokens: enough to reach the account's rate limit. */
  authorizations: string[]
  flows: string[]
  /** Recorded call for the lab. */
  callId: string
  /** Restricts the load to one kind of request. */
  only?: string
}

export interface Quiet {
  token: string
  /** Number without a phone: a trunk's INVITE is answered without ringing. */
  number: string
}

/** Endpoint that answers immediately, so that test runs are as fast as the service. */
export const startEndpoint = async (scope: Scope): Promise<string> => {
  const bot = assistant({ session_start: () => 'Welcome.', user_speak: ({ text }: { text: string }) => `Oh ${text}` })
  const server = await bot.listen(0)
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address ? `127.0.0.1:${address.port}` : ''
}

export const prepareNoise = async (scope: Scope, exchange: Exchange, endpoint: string): Promise<Noise> => {
  const { admin, http, data, accountId } = exchange
  await importContacts(admin)
  writeHistory(data, accountId, entries)
  const flows: string[] = []
  for (let nth = 0; nth < sockets; nth++)
    flows.push((await admin.createFlow({}, { name: `Flow ${nth}`, webhookUrl: `http://${endpoint}/`, recording: true })).id)
  const authorizations: string[] = []
  for (let nth = 0; nth < tokens; nth++) {
    const { tokenId, token } = await admin.createPersonalToken({}, { name: `Noise ${nth}` })
    authorizations.push(`Basic ${Buffer.from(`${tokenId}:${token}`).toString('base64')}`)
  }
  return { http, authorizations, flows, callId: await recordCall(scope, admin, flows[0] ?? '') }
}

export const prepareQuiet = async ({ operator, http, data }: Exchange): Promise<Quiet> => {
  const password = randomBytes(16).toString('hex')
  const email = 'quiet@example.com'
  const { id } = await operator.createAccount({}, { company: 'Quiet', admin: { email, firstname: 'Q', lastname: 'T', password } })
  const { token } = await createClient({ baseUrl: http }).createSessionToken({}, { username: email, password })
  const api = createClient({ baseUrl: http, token })
  for (let nth = 0; nth < 100; nth++) await api.createContact({}, { name: `Somebody ${nth}`, numbers: [`+493055${1000 + nth}`] })
  writeHistory(data, id, 500)
  const { id: addressId } = await operator.createAddress({}, { accountId: id, ...address })
  const number = '+493090182099'
  await operator.assignNumber({}, { accountId: id, number, addressId })
  return { token, number }
}

const address = { street: 'Street', number: '1', postcode: '10115', city: 'Berlin', countrycode: 'DE' }

export const importContacts = async (api: Client): Promise<void> => {
  const rows = Array.from({ length: contacts }, (_, n) => `Person ${n},030 5${String(n).padStart(6, '0')},p${n}@example.org`)
  const base64Content = Buffer.from(['Name,Phone,E-mail', ...rows].join('\n')).toString('base64')
  await api.importContacts({}, { format: 'CSV', base64Content })
}

const writeHistory = (data: string, accountId: string, count: number): void => {
  const database = new DatabaseSync(join(data, 'offhook.db'), { timeout: 5_000 })
  database.exec(`begin;
    with recursive nth (n) as (select 1 union all select n + 1 from nth where n < ${count})
      insert into history_entry (id, account_id, user_ext, session_id, type, direction, source, target, source_alias, target_alias, status,
        connection_ids, endpoints, detail, created_at, modified_at, read, archived, starred, note, labels)
      select '${accountId}-' || n, '${accountId}', 'w0', '${accountId}-call' || n, 'CALL', 'INCOMING', '+49305' || substr('000000' || (n % 4000), -6),
        '+4921163554444', '', '', 'PICKUP', '["p0"]', '[]', '{"duration":42}', 1700000000000 + n * 1000, 0, 0, 0, 0, 'what was said about call ' || n, '[]' from nth;
    insert into history_party (account_id, ext, entry_id) select account_id, 'w0', id from history_entry where account_id = '${accountId}';
    commit`)
  database.close()
}

/** Records one turn with tones as words. */
const recordCall = async (scope: Scope, admin: Client, aiFlowId: string): Promise<string> => {
  const client = await TalkClient.open(scope, (await admin.startTalk({ aiFlowId }, {})).url)
  const caller = new ToneCaller(scope, (frame) => client.sendSound(frame))
  client.onSound = (frame) => caller.hears(frame)
  const { callId } = await client.onEvent('ready')
  await caller.until(() => caller.recent(300).every((sample) => Math.abs(sample) < 100), 'it is not quiet')
  await caller.says(resampleSound(toneSound('a thing'), 8000, 16_000))
  client.send({ type: 'hangup' })
  await client.closed
  await until('the recording', () => admin.runLab({ callId }, { variants: [{ settings: {} }] }).catch(() => undefined), 20_000)
  return callId
}
