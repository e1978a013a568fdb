import { timingSafeEqual } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance } from 'fastify'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'
import type { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'

interface MetricsOptions {
  metrics: MetricSources
  /** Undefined: the page is switched off. */
  token: string | undefined
}

/** For Prometheus, which scrapes each node. Metrics belong to the operator, so a token is required. */
export const mountMetrics = (app: FastifyInstance, { metrics, token }: MetricsOptions): void => {
  if (token === undefined) return
  const wanted = Buffer.from(hashSecret(`Bearer ${token}`))
  app.get('/metrics', async (request, reply) => {
    const given = Buffer.from(hashSecret(request.headers.authorization ?? ''))
    if (!timingSafeEqual(given, wanted)) throw new Problem('invalid_token')
    const { contentType, prometheusText } = await import('#core/operate/metrics/families/exposition.ts') // imports the whole table
    return reply.type(contentType).send(prometheusText(await metrics.read()))
  })
}
