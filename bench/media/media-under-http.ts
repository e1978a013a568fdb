import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { median, startChild } from '../shared/child.ts'
import { openScope } from '../shared/scope.ts'
import { startLoad } from '../shared/start-load.ts'

/**
 * Delay of outgoing RTP packets while the same process answers 2,000 requests a second. Rounds with and without requests alternate, so that other
 * load affects both.
 */
const calls = Number(process.argv[2] ?? 500)
const requestsPerSecond = 2_000
const turns = 3
const measureMs = 4_000
const stepMs = 5
const goalMs = 1

const scope = openScope()
const data = await temporaryFolder(scope)
const load = await startLoad()
const server = await startChild(
  [join(import.meta.dirname, '../shared/serve-media.ts'), 'play', String(calls), String(load.port), 'service'],
  {
    OFFHOOK_HTTP: '127.0.0.1:0',
    OFFHOOK_SIP: '127.0.0.1:0',
    OFFHOOK_DATA: data,
    OFFHOOK_RATE_LIMIT: '0',
    OFFHOOK_LOG: 'fatal',
  },
)
const { token } = JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as { token: string }
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const url = `${String(server.ready.http)}/v1/account`
let answered = 0

const get = (): void => {
  const sent = request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (reply) => {
    reply.resume().on('end', () => reply.statusCode === 200 && answered++)
  })
  sent.on('error', () => {}).end()
}

const ask = (): (() => void) => {
  let due = performance.now()
  const timer = setInterval(() => {
    for (const now = performance.now(); due <= now; due += 1000 / requestsPerSecond) get()
  }, stepMs)
  return () => clearInterval(timer)
}

const turn = async (): Promise<number> => (await load.measure({ ports: calls, settleMs: 1_000, measureMs }).result).p99

const quiet: number[] = []
const busy: number[] = []
for (let i = 0; i < turns; i++) {
  quiet.push(await turn())
  const stop = ask()
  busy.push(await turn())
  stop()
}
load.stop()
agent.destroy()
await server.stop()
await scope.end()

console.log(
  JSON.stringify({
    bench: 'media-under-http',
    what: 'p99 of pacing at the far end in ms, without and with 2,000 requests a second in the same process',
    calls,
    requestsPerSecond: Math.round(answered / ((turns * (measureMs + 1_000)) / 1000)),
    quietP99: median(quiet),
    busyP99: median(busy),
    moved: Number((median(busy) - median(quiet)).toFixed(2)),
    goal: goalMs,
  }),
)
