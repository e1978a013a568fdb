import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { soundStates } from '@offhook/contract/v2/timeline.ts'
import { suspect, fine, type Check, type Finding } from './finding.ts'

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

/** Phones whose audio had problems in the last day, as noted by their calls. */
export const checkPhones: Check = async ({ settings }) => {
  const since = Date.now() - recentMs
  const { DATABASE_URL: url, OFFHOOK_DATA: folder } = settings
  const rows = url === undefined ? await fromSqlite(join(folder, 'offhook.db'), since) : await fromPostgres(url, since)
  if (rows === undefined) return []
  if (rows.length === 0) return [fine('phones', 'heard well in the last day, as far as calls can tell')]
  return [...Map.groupBy(rows, ({ state }) => state)].map(([state, found]): Finding => {
    const names = found.map(({ name }) => name).toSorted()
    const says = `${names.length === 1 ? 'one' : names.length} with trouble (${state}) in the last day: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}`
    return suspect('phones', says, advice[state])
  })
}

const question = 'select sip_username as name, sound_state as state from device where sip_username is not null and sound_at >= '

/** Beside the service, which may be running: reading does not disturb it. Undefined where there is no database yet. */
const fromSqlite = async (file: string, since: number): Promise<Row[] | undefined> => {
  if (!existsSync(file)) return undefined
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return ifKept(() => database.prepare(`${question}?`).all(since) as unknown as Row[])
  } finally {
    database.close()
  }
}

const fromPostgres = async (url: string, since: number): Promise<Row[] | undefined> => {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    return (await client.query<Row>(`${question}$1`, [since])).rows
  } catch {
    return undefined // that there is no database, or an old one, is said elsewhere
  } finally {
    await client.end().catch(() => {})
  }
}

/** An older database has no such column before the service has started. */
const ifKept = (read: () => Row[]): Row[] | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
