import { timingSafeEqual } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance } from 'fastify'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'
import type { Measurements } from '#core/operate/metrics/measurements.ts'
import type { MemoryWatch } from '#core/operate/metrics/memory-watch.ts'
import { prometheusText } from '#core/operate/metrics/prometheus.ts'

export interface MetricsOptions {
  measurements: Measurements
  memory: MemoryWatch
  /** Undefined: the page is switched off. */
  token: string | undefined
}

/** For Prometheus, which scrapes each process. Metrics are the operator's, so a token is required. */
export const mountMetrics = (app: FastifyInstance, { measurements, memory, token }: MetricsOptions): void => {
  if (token === undefined) return
  const wanted = Buffer.from(hashSecret(`Bearer ${token}`))
  app.get('/metrics', (request, reply) => {
    const given = Buffer.from(hashSecret(request.headers.authorization ?? ''))
    if (!timingSafeEqual(given, wanted)) throw new Problem('invalid_token')
    const held = { isolates: memory.isolates, residentBytes: process.memoryUsage.rss() }
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(prometheusText(measurements.total, measurements.readings, held))
  })
}
