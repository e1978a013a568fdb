import { Stack, Text } from '@mantine/core'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { TimelineView } from '../../../calls/timeline/timeline-view.tsx'
import { useLiveTimeline } from '../../../calls/timeline/use-timeline.ts'
import { Phone } from '../../../talk/phone.tsx'
import { PhoneState } from '../../../talk/phone-state.tsx'
import { isBusy } from '../../../talk/talk.ts'
import { useTalk } from '../../../talk/use-talk.ts'
import { text } from './text.ts'
import { TurnTable } from './turn-table.tsx'

/** A telephone beside the form that calls what is being written. */
export const TrialPanel = ({ flowId, saveFirst }: { flowId: string; saveFirst: () => Promise<boolean> }) => {
  const say = useText(text)
  const { talk, view } = useTalk()
  const [saves, setSaves] = useState(false)
  const callId = view.state === 'idle' || view.state === 'connecting' ? undefined : view.callId
  const { picture, feed } = useLiveTimeline(callId)
  const busy = isBusy(view)
  const call = async (silently: boolean): Promise<void> => {
    setSaves(true)
    const isSaved = await saveFirst()
    setSaves(false)
    if (isSaved) await talk.call(flowId, { silently, draft: true })
  }
  // The same function all the time: the telephone is not drawn again with everything that happens.
  const latest = useRef(call)
  useEffect(() => {
    latest.current = call
  })
  const onCall = useCallback((silently: boolean) => void latest.current(silently), [])
  return (
    <>
      <Section title={say.try} description={say.tryHint} actions={<PhoneState view={view} />}>
        <Stack gap="md">
          <Phone talk={talk} view={view} onCall={onCall} explanation={picture.ended?.explanation} summary={undefined} />
          <div role="status">{saves && <Text size="sm">{say.saves}</Text>}</div>
        </Stack>
      </Section>
      {callId !== undefined && (
        <>
          <Section title={say.answers} flush>
            <TurnTable entries={picture.entries} />
          </Section>
          <Section flush>
            <TimelineView picture={picture} own {...(busy && { feed })} />
          </Section>
        </>
      )}
    </>
  )
}
