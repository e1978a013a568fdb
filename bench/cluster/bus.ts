import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readBusServers } from '#adapters/bus/bus-servers.ts'
import { natsBus } from '#adapters/bus/nats-bus.ts'
import { Seal } from '#adapters/bus/seal.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { NoAnswerError, type Bus } from '#core/kernel/ports/platform.ts'
import { startNats } from '#test/peers/nats-server.ts'
import { cpuSeconds, startChild } from '../shared/child.ts'
import { percentile, rounded } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Cost of a bus request to another process: about 300 bytes each way over a NATS server on this machine, encrypted. One at a time, then 50.
 * `cpuMicros`: per request at the requester, the responder and the server. `nobodyMs`: time until a missing responder is detected.
 * `node bench/cluster/bus.ts [questions]`.
 */
const questions = Number(process.argv[2] ?? 2_000)
const concurrency = 50

const open = async (url: string, key: Buffer): Promise<Bus> => {
  const connected = Promise.withResolvers<void>()
  const bus = natsBus({
    servers: readBusServers(url),
    certificates: () => ({}),
    name: 'bench',
    prefix: 'offhook.bench',
    seal: new Seal(key, realClock()),
    clock: realClock(),
    onConnected: (is) => is && connected.resolve(),
    onIgnored: () => {},
    onError: (error) => {
      throw error
    },
  })
  await connected.promise
  return bus
}

const body = { op: 'hold', accountId: '1000000', userId: 'w0', args: { value: true, text: 'x'.repeat(180) } }

const answer = async (url: string, key: Buffer): Promise<void> => {
  const bus = await open(url, key)
  bus.answer('call.1', (asked) => ({ status: 204, asked }))
  process.stdout.write('{"ready":true}\n')
  await once(process, 'SIGTERM')
  await bus.close()
}

const ask = async (): Promise<void> => {
  const scope = openScope()
  const server = await startNats(scope)
  const key = randomBytes(32)
  const owner = await startChild([import.meta.filename, 'answer', server.url, key.toString('hex')])
  const bus = await open(server.url, key)
  const timed = async (): Promise<number> => {
    const started = performance.now()
    await bus.ask('call.1', body)
    return performance.now() - started
  }
  for (let count = 0; count < 500; count++) await timed().catch(() => {})
  const single: number[] = []
  for (let count = 0; count < questions; count++) single.push(await timed())
  const pids = { asker: process.pid, owner: owner.pid, server: server.pid }
  const before = Object.values(pids).map(cpuSeconds)
  const many: number[] = []
  const started = performance.now()
  const lane = async (): Promise<void> => {
    for (let count = 0; count < questions / 10; count++) many.push(await timed())
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  const seconds = (performance.now() - started) / 1000
  const micros = Object.entries(pids).map(([who, pid], index) => [
    who,
    rounded(((cpuSeconds(pid) - (before[index] ?? 0)) / many.length) * 1e6),
  ])
  const nobody = performance.now()
  const refused = await bus.ask('call.2', body).catch((error: unknown) => error)
  const nobodyMs = refused instanceof NoAnswerError ? rounded(performance.now() - nobody) : NaN
  console.log(
    JSON.stringify({
      bench: 'bus',
      p50Ms: percentile(single, 0.5),
      p99Ms: percentile(single, 0.99),
      concurrency,
      perSecond: Math.round(many.length / seconds),
      p99AtOnceMs: percentile(many, 0.99),
      cpuMicros: Object.fromEntries(micros),
      nobodyMs,
    }),
  )
  await bus.close()
  await owner.stop()
  await scope.end()
}

const [, , what, url = '', key = ''] = process.argv
if (what === 'answer') await answer(url, Buffer.from(key, 'hex'))
else await ask()
