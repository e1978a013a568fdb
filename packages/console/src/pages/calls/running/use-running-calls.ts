import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { useThrottledCallback } from '@mantine/hooks'
import { useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import type { ApiError } from '#api/client.ts'
import { useLiveFeed } from '#api/use-live-feed.ts'
import { useMay } from '#api/use-may.ts'
import { useRead, type OutputOf } from '#api/use-service.ts'

type RunningCalls = OutputOf<'listCalls'>
export type RunningCall = RunningCalls['data'][number]

/** Milliseconds; fallback for missed events. */
const recheckMs = 10_000

/** Minimum milliseconds between two requests, regardless of the events. */
const pollIntervalMs = 300

/** Running calls. Refreshed after each event of one of them. */
export const useRunningCalls = (): UseQueryResult<RunningCalls, ApiError> => {
  const may = useMay()
  const queries = useQueryClient()
  const mayControl = may('CAN_CONTROL_CALLS')
  const calls = useRead('listCalls', {}, { every: recheckMs, when: mayControl })
  const askCallsAgain = useThrottledCallback(() => void queries.invalidateQueries({ queryKey: ['listCalls'] }), pollIntervalMs)
  const askHistoryAgain = useThrottledCallback(() => void queries.invalidateQueries({ queryKey: ['listHistory'] }), pollIntervalMs)
  useLiveFeed<TimelineEntry>(mayControl && may('CAN_GET_HISTORY') ? '/v2/timeline' : undefined, (entries) => {
    const moments = entries.filter((entry) => entry.kind === 'call')
    if (moments.length > 0) askCallsAgain()
    if (moments.some(({ state }) => state === 'ended')) askHistoryAgain()
  })
  return calls
}
