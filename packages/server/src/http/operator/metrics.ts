import type { operatorMetricOperations } from '@offhook/contract/operator/metrics.ts'
import type { Durations } from '#core/operate/metrics/durations.ts'
import type { Figures } from '#core/operate/metrics/figures.ts'
import { readMetrics } from '#core/operate/metrics/read-metrics.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorMetricHandlers = ({
  store,
  wallClock,
}: Pick<HandlerDeps, 'store' | 'wallClock'>): Handlers<typeof operatorMetricOperations> => ({
  readMetrics: async ({ query: { minutes = 60 } }) => {
    const { stepMs, whole, points } = await readMetrics(store.read.metrics, wallClock.now(), minutes)
    return {
      stepSeconds: stepMs / 1000,
      whole: toReply(whole),
      points: points.map(({ at, figures }) => ({ at: new Date(at).toISOString(), ...toReply(figures) })),
    }
  },
})

const toReply = (figures: Figures) => {
  const { callsStarted, callsAnswered, callsFailed, callsRunning, endpointFailures, httpFailures, setUp, turn, endpoint, http } = figures
  return {
    callsStarted,
    callsAnswered,
    callsFailed,
    callsRunning,
    turns: turn.size,
    endpointRequests: endpoint.size,
    endpointFailures,
    httpRequests: http.size,
    httpFailures,
    ...(setUp.size > 0 && { setUpMs: quantiles(setUp) }),
    ...(turn.size > 0 && { turnMs: quantiles(turn) }),
    ...(endpoint.size > 0 && { endpointMs: quantiles(endpoint) }),
    ...(http.size > 0 && { httpMs: quantiles(http) }),
  }
}

const quantiles = (durations: Durations) => ({ p50: durations.quantile(0.5) ?? 0, p95: durations.quantile(0.95) ?? 0 })
