import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { cpuSeconds, startChild, type Child } from '../shared/child.ts'
import { openScope } from '../shared/scope.ts'

/**
 * GET /v1/account with a bearer token through the whole service, compared with a bare Fastify route that answers the same bytes.
 * Both alternate in short turns and are measured in requests per CPU-second of the server, so that other load affects both.
 */
const turns = 60
const requestsPerTurn = 2_000
const warmUp = 20_000
const connections = 32

const get = (agent: Agent, url: string, headers: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (part: string) => (text += part))
      reply.on('end', () => (reply.statusCode === 200 ? resolve(text) : reject(new Error(`${reply.statusCode} ${text}`))))
    })
    sent.on('error', reject).end()
  })

/** CPU seconds of the server for this many requests. */
const turn = async (child: Child, url: string, headers: Record<string, string>, count: number): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let left = count
  const before = cpuSeconds(child.pid)
  const client = async (): Promise<void> => {
    while (left-- > 0) await get(agent, url, headers)
  }
  await Promise.all(Array.from({ length: connections }, client))
  agent.destroy()
  return cpuSeconds(child.pid) - before
}

const scope = openScope()
const data = await temporaryFolder(scope)
const offhook = await startChild([join(import.meta.dirname, '../../bin/offhook.mjs'), 'serve'], {
  OFFHOOK_HTTP: '127.0.0.1:0',
  OFFHOOK_SIP: '127.0.0.1:0',
  OFFHOOK_DATA: data,
  OFFHOOK_RATE_LIMIT: '0',
})
const { token } = JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as { token: string }
const headers = { authorization: `Bearer ${token}` }
const ours = `${String(offhook.ready.http)}/v1/account`
const bytes = await get(new Agent(), ours, headers)
const bare = await startChild([join(import.meta.dirname, 'serve-bare.ts'), bytes])
const theirs = `${String(bare.ready.http)}/v1/account`

await turn(offhook, ours, headers, warmUp)
await turn(bare, theirs, headers, warmUp)
const cpu = { offhook: 0, bare: 0 }
for (let i = 0; i < turns; i++) {
  cpu.offhook += await turn(offhook, ours, headers, requestsPerTurn)
  cpu.bare += await turn(bare, theirs, headers, requestsPerTurn)
}
await offhook.stop()
await bare.stop()
await scope.end()

const requests = turns * requestsPerTurn
console.log(
  JSON.stringify({
    bench: 'http',
    what: 'GET /v1/account, requests per CPU-second of the server',
    offhook: Math.round(requests / cpu.offhook),
    bareFastify: Math.round(requests / cpu.bare),
    ratio: Number((cpu.bare / cpu.offhook).toFixed(3)),
    goal: 0.75,
  }),
)
