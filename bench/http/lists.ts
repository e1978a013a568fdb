import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@offhook/sdk'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startChild } from '../shared/child.ts'
import { openScope } from '../shared/scope.ts'
import { metricsToken, readMemory } from '../shared/service-memory.ts'

/**
 * Long lists through the whole service (SQLite): 5,000 contacts are dry-run, imported, exported as vCard and CSV and imported again, and 100,000
 * history entries are exported as a table, while the service's memory is watched. Milliseconds and megabytes; `changed` must be 0.
 */
const contacts = 5_000
const entries = 100_000

const scope = openScope()
const data = await temporaryFolder(scope)
const service = await startChild([join(import.meta.dirname, '../../bin/offhook.mjs'), 'serve'], {
  OFFHOOK_HTTP: '127.0.0.1:0',
  OFFHOOK_SIP: '127.0.0.1:0',
  OFFHOOK_SPEECH: 'off',
  OFFHOOK_DATA: data,
  OFFHOOK_RATE_LIMIT: '0',
  OFFHOOK_METRICS_TOKEN: metricsToken,
})
const http = String(service.ready['http'])
const { token } = JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as { token: string }
const api = createClient({ baseUrl: http, token })

const timed = async <T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> => {
  const startedAt = performance.now()
  const result = await work()
  return { ms: Math.round(performance.now() - startedAt), result }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const exchangeContacts = async () => {
  const rows = Array.from({ length: contacts }, (_, n) => `Person ${n},030 5${String(n).padStart(6, '0')},p${n}@example.org`)
  const input = { format: 'CSV', base64Content: base64(['Name,Phone,E-mail', ...rows].join('\n')) } as const
  const trial = await timed(() => api.importContacts({}, { ...input, dryRun: true }))
  const taken = await timed(() => api.importContacts({}, input))
  const vcard = await timed(() => api.exportContacts({ format: 'vcard' }))
  const csv = await timed(() => api.exportContacts({ format: 'csv' }))
  const again = await timed(() => api.importContacts({}, { format: 'VCARD', base64Content: base64(vcard.result), duplicates: 'REPLACE' }))
  const more = await timed(() => api.importContacts({}, { format: 'CSV', base64Content: base64(csv.result), duplicates: 'REPLACE' }))
  const changed = [again, more].reduce((sum, { result }) => sum + result.created + result.merged, 0)
  return {
    created: taken.result.created,
    changed,
    ms: { trial: trial.ms, import: taken.ms, vcard: vcard.ms, csv: csv.ms, vcardAgain: again.ms, csvAgain: more.ms },
  }
}

const writeHistory = (): void => {
  const database = new DatabaseSync(join(data, 'offhook.db'), { timeout: 5_000 })
  database.exec(`begin;
    with recursive nth (n) as (select 1 union all select n + 1 from nth where n < ${entries})
      insert into history_entry (id, account_id, user_ext, session_id, type, direction, source, target, source_alias, target_alias, status,
        connection_ids, endpoints, detail, created_at, modified_at, read, archived, starred, note, labels)
      select 'entry' || n, (select id from account limit 1), 'w0', 'call' || n, 'CALL', 'INCOMING', '+4930' || (5000000 + n % 60000), '+4921163554444', '', '',
        'PICKUP', '["p0"]', '[]', '{"duration":42}', 1700000000000 + n * 1000, 0, 0, 0, 0, 'what was said about call ' || n, '[]' from nth;
    insert into history_party (account_id, ext, entry_id) select account_id, 'w0', id from history_entry;
    commit`)
  database.close()
}

/** Discards the table: the client reads as fast as it arrives. */
const readTable = async () => {
  const reply = await fetch(`${http}/v2/history`, { headers: { accept: 'text/csv', authorization: `Bearer ${token}` } })
  let [rows, bytes] = [-1, 0]
  for await (const piece of reply.body ?? []) {
    bytes += piece.length
    for (const byte of piece) if (byte === 10) rows++
  }
  return { rows, bytes }
}

const heapOf = async () => {
  const { resident, threads } = await readMemory(http)
  return { resident, heap: threads.main?.heapUsed ?? 0 }
}

const watchTable = async () => {
  const before = await heapOf()
  const seen = [before]
  const reading = timed(readTable)
  const isOver = reading.then(() => true)
  while (!(await Promise.race([isOver, pause(100, false)]))) seen.push(await heapOf())
  const { ms, result } = await reading
  const most = { resident: Math.max(...seen.map(({ resident }) => resident)), heap: Math.max(...seen.map(({ heap }) => heap)) }
  return { ...result, ms, before, most }
}

try {
  const exchanged = await exchangeContacts()
  writeHistory()
  const first = await watchTable()
  const second = await watchTable()
  console.log(JSON.stringify({ bench: 'lists', contacts: exchanged, table: { first, second } }))
} finally {
  await service.stop()
  await scope.end()
}
