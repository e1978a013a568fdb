import { Agent, request, type IncomingMessage } from 'node:http'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { startNats } from '#test/peers/nats-server.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { createDatabase, installedPrograms, startPostgres } from '#test/store/postgres.ts'
import { percentile } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Extra cost when another node owns the call (two processes, PostgreSQL and NATS on this machine). command: from writing `PUT …/muted` to the socket
 * until the response. timeline: from then until the entry reaches a watcher. list: `GET /v2/calls`. Each at the owning process (`here`) and at the other one.
 * `node bench/cluster/elsewhere.ts [commands]`.
 */
const commands = Number(process.argv[2] ?? 1_000)
const warmUp = 50

const scope = openScope()
const agent = new Agent({ keepAlive: true })
scope.after(() => agent.destroy())

const startTwo = async (): Promise<{ owner: Exchange; other: Exchange; token: string }> => {
  const postgres = await startPostgres(installedPrograms)
  scope.after(() => postgres.stop())
  const nats = await startNats(scope)
  const shared = {
    DATABASE_URL: await createDatabase(postgres.url, { name: 'elsewhere' }),
    OFFHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    OFFHOOK_BUS: nats.url,
    OFFHOOK_RATE_LIMIT: '0',
  }
  const owner = await startExchange(scope, shared)
  const other = await startExchange(scope, { ...shared, OFFHOOK_DATA: owner.data })
  const { token = '' } = JSON.parse(await readFile(join(owner.data, 'first-run.json'), 'utf8')) as FirstRunNotes
  return { owner, other, token }
}

const connect = async (exchange: Exchange): Promise<string> => {
  const open = async () => {
    const { user, password, deviceId } = await exchange.newDevice()
    const phone = await SipPhone.open(scope, { server: exchange.sip, user, password })
    await phone.register()
    return { phone, deviceId }
  }
  const [caller, callee] = [await open(), await open()]
  const call = caller.phone.call(callee.deviceId)
  await callee.phone.accept(await callee.phone.incoming())
  await call.answered
  return (await exchange.admin.listCalls()).data[0]?.callId ?? ''
}

const { owner, other, token } = await startTwo()
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

const send = (url: string, method: string, body?: object): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (reply) => {
      reply.resume().once('end', () => resolve(reply))
    })
    sent.once('error', reject)
    sent.end(body && JSON.stringify(body))
  })

/** Returns a function that resolves with the arrival time of each next entry. */
const watch = async ({ http }: Exchange, callId: string): Promise<() => Promise<number>> => {
  const reply = await new Promise<IncomingMessage>((resolve) => {
    const asked = request(`${http}/v2/timeline?callId=${callId}`, { headers }, resolve)
    scope.after(() => asked.destroy())
    asked.end()
  })
  reply.on('error', () => {})
  let news = Promise.withResolvers<number>()
  reply.on('data', (piece: Buffer) => {
    if (piece.includes('muted')) news.resolve(performance.now())
  })
  return async () => {
    const at = await news.promise
    news = Promise.withResolvers()
    return at
  }
}

const figures = (times: readonly number[]) => {
  const measured = times.slice(warmUp)
  return { p50Ms: percentile(measured, 0.5), p99Ms: percentile(measured, 0.99) }
}

try {
  const callId = await connect(owner)
  const watches = { here: await watch(owner, callId), elsewhere: await watch(other, callId) }
  const command: Record<string, number[]> = { here: [], elsewhere: [] }
  const list: Record<string, number[]> = { here: [], elsewhere: [] }
  const timeline: Record<string, number[]> = { here: [], elsewhere: [] }
  for (let nth = 0; nth < commands + warmUp; nth++) {
    for (const [where, { http }] of Object.entries({ here: owner, elsewhere: other })) {
      const startedAt = performance.now()
      const { statusCode } = await send(`${http}/v2/calls/${callId}/muted`, 'PUT', { value: nth % 2 === 0 })
      if (statusCode !== 204) throw new Error(`${where}: ${statusCode}`)
      command[where]?.push(performance.now() - startedAt)
      const notified = { here: await watches.here(), elsewhere: await watches.elsewhere() }
      if (where === 'here') for (const [at, ms] of Object.entries(notified)) timeline[at]?.push(ms - startedAt)
      const asked = performance.now()
      await send(`${http}/v2/calls`, 'GET')
      list[where]?.push(performance.now() - asked)
    }
  }
  const both = (times: Record<string, number[]>) => ({ here: figures(times.here ?? []), elsewhere: figures(times.elsewhere ?? []) })
  console.log(JSON.stringify({ bench: 'elsewhere', commands, command: both(command), list: both(list), timeline: both(timeline) }))
} finally {
  await scope.end()
}
