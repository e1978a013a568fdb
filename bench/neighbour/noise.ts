import { constants, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { PdfWriter } from '#core/kernel/pdf/pdf-writer.ts'
import type { Noise } from './office.ts'

/**
 * One account that sends as fast as it may, in a separate process forked by the bench. Real clients run on other machines, so this one must not take
 * the processor from the service.
 */
setPriority(constants.priority.PRIORITY_LOW)
const noise = JSON.parse(process.argv[2] ?? '') as Noise
const pingsPerSecond = 20
const refusedPauseMs = 100

interface Request {
  method?: 'POST'
  body?: string
  accept?: string
}

/** Responses by kind of request and status. */
const counts: Record<string, Record<string, number>> = {}
const stop = new AbortController()
let sent = 0

const count = (kind: string, status: number | string): void => {
  const statuses = (counts[kind] ??= {})
  statuses[status] = (statuses[status] ?? 0) + 1
}

const ask = async (kind: string, path: string, { method, body, accept = 'application/json' }: Request): Promise<void> => {
  const authorization = noise.authorizations[sent++ % noise.authorizations.length] ?? ''
  const headers = { authorization, accept, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const reply = await fetch(noise.http + path, { headers, ...(method && { method }), ...(body !== undefined && { body }) })
  for await (const piece of reply.body ?? []) void piece
  count(kind, reply.status)
  if (reply.status === 429 || reply.status === 503) await pause(Number(reply.headers.get('retry-after') ?? 0) * 1000 || refusedPauseMs)
}

/** Runs this many concurrent sequences of requests. */
const repeat = (kind: string, times: number, path: string, request: Request = {}): void => {
  if (noise.only !== undefined && noise.only !== kind) return
  const client = async (): Promise<void> => {
    while (!stop.signal.aborted)
      await ask(kind, path, request).catch(async (error: unknown) => {
        count(kind, error instanceof Error ? error.name : 'failed')
        await pause(refusedPauseMs)
      })
  }
  for (let nth = 0; nth < times; nth++) void client()
}

const listen = (flowId: string): void => {
  const socket = new WebSocket(`${noise.http.replace('http', 'ws')}/v3/ai-flows/${flowId}/listen`, {
    headers: { authorization: noise.authorizations[0] ?? '' },
  })
  const timer = setInterval(() => socket.readyState === WebSocket.OPEN && socket.ping('noise'), 1000 / pingsPerSecond)
  socket.on('open', () => count('socket', 'open'))
  socket.on('error', (error) => count('socket', error.message))
  socket.on('close', () => {
    clearInterval(timer)
    if (!stop.signal.aborted) setTimeout(() => listen(flowId), 1000)
  })
}

const megabyte = 2 ** 20

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** A valid PDF of one blank page and ten megabytes that it does not use. */
const fax = async (): Promise<string> => {
  const writer = new PdfWriter()
  const pieces: Uint8Array[] = []
  const take = async (some: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const piece of some) pieces.push(piece)
  }
  await take(writer.begin())
  const unused = Buffer.alloc(10 * megabyte - 4096, 'sound')
  await take(writer.add('/Type /Metadata', { length: unused.length, pieces: only(unused) }))
  await take(writer.page(595, 842, '', ''))
  await take(writer.finish())
  const base64Content = Buffer.concat(pieces).toString('base64')
  return JSON.stringify({ faxlineId: 'f0', recipient: '+4930555555', filename: 'large.pdf', base64Content })
}

/** Documents of an assistant: words, and elements that are never closed. */
const documents = {
  words: JSON.stringify({ kind: 'text', base64: Buffer.alloc(9 * megabyte, 'The roof of the house is red. ').toString('base64') }),
  elements: JSON.stringify({ kind: 'html', base64: Buffer.alloc(9 * megabyte, '<div>').toString('base64') }),
}

const addressBook = (): string => {
  const rows = Array.from({ length: 4_000 }, (_, n) => `Person ${n},030 5${String(n).padStart(6, '0')},p${n}@example.org`)
  return JSON.stringify({
    format: 'CSV',
    base64Content: Buffer.from(['Name,Phone,E-mail', ...rows].join('\n')).toString('base64'),
    dryRun: true,
  })
}

const scenarios = JSON.stringify({
  scenarios: Array.from({ length: 100 }, (_, nth) => ({
    name: `scenario ${nth}`,
    steps: [{ expect: { said: 'welcome' } }, { say: 'A table' }, { expect: { said: 'oh a table' } }, { say: 'For two' }],
  })),
})

const begin = async (): Promise<void> => {
  const [flowId = '', otherFlowId = ''] = noise.flows
  repeat('list', 45, '/v1/contacts')
  repeat('history', 10, '/v2/history?limit=1000')
  repeat('search', 5, '/v1/search?q=person')
  repeat('search', 5, '/v1/contacts?search=person%201&limit=50')
  repeat('search', 5, '/v2/history?search=305&limit=50')
  repeat('export', 5, '/v1/contacts/export?format=vcard')
  repeat('export', 5, '/v1/contacts/duplicates')
  repeat('export', 3, '/v2/history', { accept: 'text/csv' })
  repeat('upload', 5, '/v1/sessions/fax', { method: 'POST', body: await fax() })
  for (const body of Object.values(documents)) repeat('upload', 2, `/v3/ai-flows/${otherFlowId}/knowledge`, { method: 'POST', body })
  repeat('upload', 5, '/v1/contacts/import', { method: 'POST', body: addressBook() })
  repeat('test run', 3, `/v3/ai-flows/${flowId}/test-runs`, { method: 'POST', body: scenarios })
  repeat('lab', 3, `/v2/calls/${noise.callId}/lab`, { method: 'POST', body: JSON.stringify({ variants: [{ settings: {} }] }) })
  repeat('small', 10, '/v1/account')
  if (noise.only === undefined || noise.only === 'socket') for (const id of noise.flows) listen(id)
}

process.on('message', (said) => {
  if (said === 'begin') void begin()
  else {
    stop.abort()
    process.send?.(counts, () => process.exit())
  }
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
