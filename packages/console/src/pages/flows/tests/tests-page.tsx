import { useState } from 'react'
import { useRead } from '#api/use-service.ts'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { KeptTests } from './kept-tests.tsx'
import { Runs } from './runs.tsx'

/** Conversations that are kept with a flow to test it, and what came of them. */
export const TestsPage = () => <FlowFrame tab="tests">{({ id }) => <Tests key={id} flowId={id} />}</FlowFrame>

/** Milliseconds between looks while something runs. */
const pollIntervalMs = 700

const Tests = ({ flowId }: { flowId: string }) => {
  const [opened, setOpened] = useState<string>()
  const runs = useRead(
    'listTestRuns',
    { aiFlowId: flowId },
    { every: pollIntervalMs, until: ({ items }) => items.every(({ state }) => state !== 'running') },
  )
  return (
    <>
      <KeptTests flowId={flowId} runs={runs.data?.items ?? []} onRun={setOpened} />
      <Runs runs={runs} opened={opened} onOpen={setOpened} />
    </>
  )
}
