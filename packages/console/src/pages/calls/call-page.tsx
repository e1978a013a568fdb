import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { ExplainedTimeline } from './history/call-story.tsx'
import { EntryFrame } from './entry-page.tsx'
import { callEntryOf } from './parts/history-entry.ts'
import { LiveCall } from './running/live-call.tsx'
import { text } from './parts/text.ts'
import { useKeptTimeline } from './timeline/use-timeline.ts'
import { useRunningCalls, type RunningCall } from './running/use-running-calls.ts'

/** A call by its id: as long as it lasts with everything that can be done with it, afterwards as the history has it. */
export const CallPage = () => {
  const { callId } = useParams<{ callId: string }>()
  const say = useText(text)
  const may = useMay()
  const calls = useRunningCalls()
  const running = calls.data?.data.find((call) => call.callId === callId)
  // A call that ends while it is watched stays on the page.
  const [seen, setSeen] = useState<RunningCall>()
  if (running && running !== seen) setSeen(running)
  if (seen) return <LiveCall call={seen} isOver={running === undefined} />
  if (calls.isPending && may('CAN_CONTROL_CALLS'))
    return (
      <Page title={say.call} back={{ to: '/calls', label: say.backToCalls }}>
        <WaitingRows />
      </Page>
    )
  return <FinishedCall callId={callId} />
}

const FinishedCall = ({ callId }: { callId: string }) => {
  const say = useText(text)
  const history = useRead('listOwnHistory', { callId })
  const timeline = useKeptTimeline(history.data ? callId : undefined)
  const entry = callEntryOf(history.data?.items)
  if (entry) return <EntryFrame entry={entry} />
  const isUnknown = timeline.error?.status === 404
  return (
    <Page title={say.call} back={{ to: '/calls', label: say.backToCalls }}>
      {isUnknown ? <NoCall /> : <ExplainedTimeline callId={callId} timeline={timeline} />}
    </Page>
  )
}

const NoCall = () => {
  const say = useText(text)
  return (
    <Section>
      <EmptyState
        icon="phone"
        title={say.notFoundTitle}
        action={
          <Button component={Link} href="/calls" variant="default">
            {say.backToCalls}
          </Button>
        }
      >
        {say.notFoundBody}
      </EmptyState>
    </Section>
  )
}
