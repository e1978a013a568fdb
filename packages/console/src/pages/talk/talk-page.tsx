import { Button, Alert, Box, NativeSelect, Stack, Group, Text } from '@mantine/core'
import { Link, useParams, useSearchParams, useLocation } from 'wouter'
import { useRead, type OutputOf } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useLeaveGuard } from '#parts/leave/leave-guard.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { isBusy, Talk, type TalkView, type TalkState } from './talk.ts'
import { text } from './text.ts'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { useFormat } from '#parts/value/use-format.ts'
import type { TimelinePicture } from '../calls/timeline/timeline-book.ts'
import { TimelineView } from '../calls/timeline/timeline-view.tsx'
import { endOf, median, stepsOf } from '../calls/timeline/turn-steps.ts'
import { useLiveTimeline } from '../calls/timeline/use-timeline.ts'
import { Phone } from './phone.tsx'
import classes from './talk-desk.module.css'
import { useNow } from '#lazy-parts/use-now.ts'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'

/** Calls an assistant from the browser. */
export const TalkPage = () => {
  const say = useText(text)
  const { flowId } = useParams<{ flowId?: string }>()
  const [search] = useSearchParams()
  const flows = useRead('listFlows')
  const { talk, view } = useTalk()
  useLeaveGuard(isBusy(view), { title: say.leaveTitle, body: say.leaveBody, confirm: say.leave })
  const wanted = flowId ?? search.get('flow') ?? undefined
  const flow = wanted === undefined ? flows.data?.items[0] : flows.data?.items.find(({ id }) => id === wanted)
  // Leaving the page hangs up.
  const settings = flow && !isBusy(view) ? <ToSettings flowId={flow.id} /> : undefined
  return (
    <Page title={say.title} description={say.lead} width="full" actions={settings}>
      <Loaded query={flows}>
        {({ items }) => (items.length === 0 ? <NoFlow /> : <TalkDesk flows={items} flow={flow} talk={talk} view={view} />)}
      </Loaded>
    </Page>
  )
}

const ToSettings = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  return (
    <Button component={Link} href={`/flows/${flowId}`} variant="default" leftSection={<Icon name="settings" size={16} />}>
      {say.toSettings}
    </Button>
  )
}

const NoFlow = () => {
  const say = useText(text)
  return (
    <Section>
      <EmptyState
        icon="flow"
        title={say.noFlowTitle}
        action={
          <Button component={Link} href="/flows">
            {say.toFlows}
          </Button>
        }
      >
        {say.noFlowBody}
      </EmptyState>
    </Section>
  )
}

export type Flow = OutputOf<'listFlows'>['items'][number]

export interface TalkDeskProps {
  flows: readonly Flow[]
  /** The called flow; undefined: none at this address. */
  flow: Flow | undefined
  talk: Talk
  view: TalkView
}

/** The telephone, and next to it the timeline. */
export const TalkDesk = ({ flows, flow, talk, view }: TalkDeskProps) => {
  const say = useText(text)
  const [, go] = useLocation()
  // There is a timeline only once the call exists.
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

/** The call in figures. Undefined before the first answer. */
const useSummary = ({ turns, problems }: TimelinePicture): string | undefined => {
  const say = useText(text)
  const { number } = useFormat()
  const usual = median(turns.map(({ times }) => endOf(stepsOf(times))))
  return usual === undefined ? undefined : say.summary(turns.length, number(usual), problems)
}

/** Problems of the flow that affect the call. */
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

/** The call of this page. Leaving the page hangs up. */
export const useTalk = (): { talk: Talk; view: TalkView } => {
  const [talk] = useState(() => new Talk())
  useEffect(() => () => talk.close(), [talk])
  return { talk, view: useSyncExternalStore(talk.subscribe, () => talk.view) }
}

const tones: Readonly<Record<TalkState, Tone>> = { idle: 'quiet', connecting: 'busy', ringing: 'busy', answered: 'good', ended: 'quiet' }

/** State and duration of the call. */
export const PhoneState = ({ view: { state, held, answeredAt, endedAt } }: { view: TalkView }) => {
  const say = useText(text)
  const { duration } = useFormat()
  const now = useNow(state === 'answered')
  return (
    <Group gap="sm" aria-live="polite">
      <StatusBadge tone={held ? 'warning' : tones[state]} pulse={state !== 'idle' && state !== 'ended'}>
        {held && state === 'answered' ? say.states.held : say.states[state]}
      </StatusBadge>
      {answeredAt !== undefined && (
        <Text size="sm" aria-live="off" aria-label={say.duration} role="timer" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {duration((endedAt ?? now) - answeredAt)}
        </Text>
      )}
    </Group>
  )
}
