import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { realClock } from '#adapters/clock/clocks.ts'
import { otlpTracer } from '#adapters/traces/otlp-tracer.ts'
import { reportAttempt } from '#core/assistant/delivery/attempts/delivery-span.ts'
import { callTrace } from '#core/kernel/trace/tracer.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { cpuSeconds, median, startChild } from '../shared/child.ts'
import { rounded } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'

/** Cost of traces: CPU per span, and of an assistant call with and without them. */
const spans = 100_000
const rounds = 6
const callsPerRound = 80
const concurrentCalls = 4

/** Collector in a separate process, whose CPU is not counted; /counted returns the bytes received. */
const serveSink = (): void => {
  let bytes = 0
  const server = createServer((request, response) => {
    if (request.url === '/counted') return response.end(String(bytes))
    request.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('end', () => response.end('{}'))
    return undefined
  })
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })))
}

const callId = randomUUID()
const delivery = {
  id: '1',
  accountId: '1000001',
  flowId: randomUUID(),
  sessionId: callId,
  eventId: randomUUID(),
  eventType: 'user_speak',
  sequence: 3,
  turn: 1,
  attempt: 1,
  channel: 'webhook',
  at: Date.now(),
  durationMs: 80,
  state: 'delivered',
  status: 200,
  requestBytes: 400,
  replyBytes: 120,
  actions: [],
  problems: [],
  error: undefined,
} as const
const exchange = { url: 'https://assistant.example/hook', request: { headers: {}, body: '' } }
const event = { id: delivery.eventId, sessionId: callId } as never
/** Unrelated spans of the same form. */
const deliveries = Array.from({ length: 1_000 }, () => ({
  ...delivery,
  sessionId: randomUUID(),
  flowId: randomUUID(),
  eventId: randomUUID(),
}))

/** CPU microseconds per run. */
const cpuOf = async (count: number, run: () => Promise<void> | void): Promise<number> => {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

const eachSpan = async (sink: string): Promise<Record<string, number>> => {
  const nobody = undefined as Tracer | undefined
  let notified = 0
  const off = await cpuOf(spans * 100, () => {
    for (let count = 0; count < spans * 100; count++) if (callTrace(nobody, { callId })) notified++
  })
  const silent: Tracer = { samples: () => true, notify: () => void notified++ }
  const many = (tracer: Tracer, count: number): void => {
    for (let done = 0; done < count; done++) reportAttempt(tracer, deliveries[done % deliveries.length] ?? delivery, exchange, event)
  }
  many(silent, 10_000)
  const made = await cpuOf(spans, () => many(silent, spans))
  const resource = { attributes: { 'service.name': 'offhook' }, scope: { name: 'offhook', version: '0' } }
  const never = (): void => {}
  const parts = {
    clock: realClock(),
    url: `${sink}/v1/traces`,
    headers: {},
    timeoutMs: 10_000,
    compress: true,
    resource,
    onFailing: never,
    onRecovered: never,
  }
  const tracer = otlpTracer({ ...parts, sampler: 'parentbased_always_on', ratio: 1 })
  const sendAll = async (): Promise<void> => {
    for (let sent = 0; sent < spans; sent += 1_000) {
      many(tracer, 1_000)
      while (tracer.counts.sent < tracer.counts.dropped + sent + 700) await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const exported = await cpuOf(spans, sendAll)
  await tracer.close()
  const bytes = Number(await (await fetch(`${sink}/counted`)).text())
  return {
    offNs: rounded(off * 1000),
    madeUs: rounded(made),
    exportedUs: rounded(exported),
    bytes: Math.round(bytes / tracer.counts.sent),
    dropped: tracer.counts.dropped,
  }
}

/** Sends one message to an assistant that answers immediately, then leaves. */
const talk = async (scope: Scope, { admin }: Exchange, aiFlowId: string): Promise<void> => {
  const { url } = await admin.startTalk({ aiFlowId }, { audio: false })
  const client = await TalkClient.open(scope, url)
  await client.onEvent('answered')
  client.send({ type: 'text', text: 'I would like a table' })
  await new Promise((resolve) => setTimeout(resolve, 50))
  client.send({ type: 'hangup' })
  await client.closed
}

/** CPU milliseconds of the service per call of one round. */
const round = async (scope: Scope, service: Exchange, flowId: string): Promise<number> => {
  const pid = service.program.child.pid ?? 0
  const before = cpuSeconds(pid)
  const one = async (): Promise<void> => {
    for (let count = 0; count < callsPerRound / concurrentCalls; count++) await talk(scope, service, flowId)
  }
  await Promise.all(Array.from({ length: concurrentCalls }, one))
  return ((cpuSeconds(pid) - before) * 1000) / callsPerRound
}

const eachCall = async (sink: string): Promise<Record<string, number>> => {
  const scope = openScope()
  const endpoint = await startAssistantEndpoint(scope, ({ type, session }) =>
    type === 'user_speak' ? { type: 'speak', session_id: session.id, text: 'Of course.' } : undefined,
  )
  const common = { OFFHOOK_SPEECH: 'off', OFFHOOK_RATE_LIMIT: '0', OFFHOOK_EGRESS_ALLOW: endpoint.address }
  const services = [
    await startExchange(scope, common),
    await startExchange(scope, { ...common, OTEL_EXPORTER_OTLP_ENDPOINT: sink }),
  ] as const
  const flows = await Promise.all(services.map(({ admin }) => admin.createFlow({}, { name: 'Bench', webhookUrl: endpoint.url })))
  const measured: [number[], number[]] = [[], []]
  for (let count = 0; count <= rounds; count++)
    for (const which of count % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const ms = await round(scope, services[which], flows[which]?.id ?? '')
      if (count > 0) measured[which].push(ms) // the first round is the warm-up
    }
  await scope.end()
  const [off, on] = [median(measured[0]), median(measured[1])]
  return { callOffMs: rounded(off), callOnMs: rounded(on), ratio: rounded(on / off, 2) }
}

if (process.argv[2] === 'sink') serveSink()
else {
  const sink = await startChild([import.meta.filename, 'sink'])
  const address = `http://127.0.0.1:${String(sink.ready.port)}`
  const figures = { ...(await eachSpan(address)), ...(await eachCall(address)) }
  await sink.stop()
  console.log(JSON.stringify({ bench: 'traces', ...figures }))
}
