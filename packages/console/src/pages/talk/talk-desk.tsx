import { Alert, Box, NativeSelect, Stack } from '@mantine/core'
import { useCallback } from 'react'
import { useLocation } from 'wouter'
import type { OutputOf } from '#api/use-service.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import type { TimelinePicture } from '../calls/timeline/timeline-book.ts'
import { TimelineView } from '../calls/timeline/timeline-view.tsx'
import { endOf, median, stepsOf } from '../calls/timeline/turn-steps.ts'
import { useLiveTimeline } from '../calls/timeline/use-timeline.ts'
import { Phone } from './phone.tsx'
import { PhoneState } from './phone-state.tsx'
import { isBusy, type Talk, type TalkView } from './talk.ts'
import classes from './talk-desk.module.css'
import { text } from './text.ts'

export type Flow = OutputOf<'listFlows'>['items'][number]

export interface TalkDeskProps {
  flows: readonly Flow[]
  /** The one that is called; undefined: there is none at this address. */
  flow: Flow | undefined
  talk: Talk
  view: TalkView
}

/** The telephone, and beside it what happens. */
export const TalkDesk = ({ flows, flow, talk, view }: TalkDeskProps) => {
  const say = useText(text)
  const [, go] = useLocation()
  // There is something to watch only when the call is there.
  const callId = view.state === 'idle' || view.state === 'connecting' ? undefined : view.callId
  const { picture, feed } = useLiveTimeline(callId)
  const summary = useSummary(picture)
  const busy = isBusy(view)
  const flowId = flow?.id ?? ''
  const call = useCallback((silently: boolean) => void talk.call(flowId, { silently }), [talk, flowId])
  return (
    <Box className={classes.frame}>
      <Box className={classes.desk} data-busy={busy}>
        <Section title={say.phone} actions={<PhoneState view={view} />}>
          <Stack gap="md">
            <NativeSelect
              label={say.flow}
              value={flow?.id ?? ''}
              disabled={busy}
              error={flow === undefined ? say.noSuchFlow : undefined}
              className={classes.flow}
              data={[
                ...(flow === undefined ? [{ value: '', label: '' }] : []),
                ...flows.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChange={(event) => go(`/talk/${event.currentTarget.value}`)}
            />
            {flow && <FlowTroubles flow={flow} />}
            {flow && <Phone talk={talk} view={view} onCall={call} explanation={picture.ended?.explanation} summary={summary} />}
          </Stack>
        </Section>
        <Section title={say.timeline} flush>
          <TimelineView picture={picture} own {...(busy && callId !== undefined && { feed })} />
        </Section>
      </Box>
    </Box>
  )
}

/** The call in figures. Undefined as long as nothing was answered. */
const useSummary = ({ turns, problems }: TimelinePicture): string | undefined => {
  const say = useText(text)
  const { number } = useFormat()
  const usual = median(turns.map(({ times }) => endOf(stepsOf(times))))
  return usual === undefined ? undefined : say.summary(turns.length, number(usual), problems)
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
