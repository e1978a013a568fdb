import { Alert, Box, NativeSelect, Stack } from '@mantine/core'
import { useLocation } from 'wouter'
import type { OutputOf } from '../../api/use-service.ts'
import { Icon } from '../../parts/icon.tsx'
import { Section } from '../../parts/section.tsx'
import { useText } from '../../words/use-text.tsx'
import { TimelineView } from '../calls/timeline/timeline-view.tsx'
import { useLiveTimeline } from '../calls/timeline/use-timeline.ts'
import { Phone } from './phone.tsx'
import classes from './talk-desk.module.css'
import { text } from './text.ts'
import { useTalk } from './use-talk.ts'

export type Flow = OutputOf<'listFlows'>['items'][number]

/** The telephone, and beside it what happens. `wanted`: the flow that the address names. */
export const TalkDesk = ({ flows, wanted }: { flows: readonly Flow[]; wanted: string | undefined }) => {
  const say = useText(text)
  const [, go] = useLocation()
  const { talk, view } = useTalk()
  // There is something to watch only when the call is there.
  const callId = view.state === 'idle' || view.state === 'connecting' ? undefined : view.callId
  const { picture, feed } = useLiveTimeline(callId)
  const flow = wanted === undefined ? flows[0] : flows.find(({ id }) => id === wanted)
  const isBusy = view.state !== 'idle' && view.state !== 'ended'
  return (
    <Box className={classes.desk}>
      <Section title={say.phone}>
        <Stack gap="md">
          <NativeSelect
            label={say.flow}
            value={flow?.id ?? ''}
            disabled={isBusy}
            error={flow === undefined ? say.noSuchFlow : undefined}
            data={[...(flow === undefined ? [{ value: '', label: '' }] : []), ...flows.map(({ id, name }) => ({ value: id, label: name }))]}
            onChange={(event) => go(`/talk/${event.currentTarget.value}`)}
          />
          {flow && <FlowTroubles flow={flow} />}
          {flow && <Phone talk={talk} view={view} flowId={flow.id} explanation={picture.ended?.explanation} />}
        </Stack>
      </Section>
      <Section title={say.timeline} flush>
        <TimelineView picture={picture} own {...(isBusy && callId !== undefined && { feed })} />
      </Section>
    </Box>
  )
}

/** What would keep the call from being what the caller expects. */
const FlowTroubles = ({ flow: { speech, disabledBecause } }: { flow: Flow }) => {
  const say = useText(text)
  const troubles = [
    [say.cannotSpeak, speech.speaks.provider === undefined ? speech.speaks.missing : undefined],
    [say.cannotHear, speech.hears.provider === undefined ? speech.hears.missing : undefined],
    [say.disabled, disabledBecause],
  ].filter(([, why]) => why !== undefined)
  if (troubles.length === 0) return null
  return (
    <Alert color="yellow" icon={<Icon name="info" />}>
      {troubles.map(([what, why]) => (
        <div key={what}>
          {what} {why}
        </div>
      ))}
    </Alert>
  )
}
