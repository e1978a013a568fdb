import { useState } from 'react'
import type { ApiError } from '#api/client.ts'
import { useRead, useWrite, type InputOf, type OutputOf } from '#api/use-service.ts'

export type TestRun = OutputOf<'getTestRun'>

/** Milliseconds between polls of a running test. */
const pollIntervalMs = 500

interface UsedTestRun {
  start: (input: InputOf<'startTestRun'>[1]) => void
  /** Its current state, also after the end. */
  run: TestRun | undefined
  isRunning: boolean
  error: ApiError | null
}

/** Runs conversations with the endpoint of a flow and reports the progress. */
export const useTestRun = (flowId: string, onStart?: (run: TestRun) => void): UsedTestRun => {
  const [begun, setBegun] = useState<TestRun>()
  const start = useWrite('startTestRun', {
    refreshes: ['listTestRuns'],
    onDone: (run) => {
      setBegun(run)
      onStart?.(run)
    },
  })
  const look = useRead(
    'getTestRun',
    { aiFlowId: flowId, runId: begun?.runId ?? '' },
    { when: begun !== undefined, every: pollIntervalMs, until: ({ state }) => state !== 'running' },
  )
  const run = begun && (look.data ?? begun)
  return {
    start: (input) => start.mutate([{ aiFlowId: flowId }, input]),
    run,
    isRunning: start.isPending || (run?.state === 'running' && look.error === null),
    error: start.error ?? look.error,
  }
}
