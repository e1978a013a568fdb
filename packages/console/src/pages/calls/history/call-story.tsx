import { useRef, useState, type ReactNode } from 'react'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { AboutEntry } from './about-entry.tsx'
import { CallResultSection } from './call-result.tsx'
import { ExplanationSection } from '../explanation/explanation-section.tsx'
import type { HistoryEntry } from '../parts/history-entry.ts'
import { Recordings } from '../recording/recordings.tsx'
import { text } from '../parts/text.ts'
import type { TimelinePicture } from '../timeline/timeline-book.ts'
import { TimelineView, type TimelineViewProps } from '../timeline/timeline-view.tsx'
import { useKeptTimeline } from '../timeline/use-timeline.ts'
import type { Seeker } from '../recording/wave-player.tsx'

/** A finished call: its course, its recording, its timeline. */
export const CallStory = ({ entry }: { entry: HistoryEntry }) => {
  const seeker = useRef<Seeker>(undefined)
  const timeline = useKeptTimeline(entry.callId)
  const recordedAt = entry.recordings?.length === 1 ? recordingBegan(timeline.data) : undefined
  const onSeek = recordedAt === undefined ? undefined : (at: number) => seeker.current?.playFrom((at - recordedAt) / 1000)
  return (
    <>
      <AboutEntry entry={entry} ended={timeline.data?.ended?.explanation} />
      <StoryResult picture={timeline.data} callId={entry.callId} />
      <ExplainedTimeline callId={entry.callId} timeline={timeline} onSeek={onSeek}>
        <Recordings entry={entry} seeker={seeker} />
      </ExplainedTimeline>
    </>
  )
}

/** Only if an assistant noted something: other calls have no result, which saves a request. */
const StoryResult = ({ picture, callId }: { picture: TimelinePicture | undefined; callId: string | undefined }) => {
  const noted = picture?.entries.find(({ kind }) => kind === 'note')
  return noted?.flowId === undefined || callId === undefined ? null : <CallResultSection flowId={noted.flowId} callId={callId} />
}

const recordingBegan = (picture: TimelinePicture | undefined): number | undefined =>
  picture?.entries.find((entry) => entry.kind === 'call' && entry.state === 'recording')?.at

type KeptTimelineProps = { timeline: ReturnType<typeof useKeptTimeline> } & Pick<TimelineViewProps, 'onSeek' | 'wanted'>

/** The explanation, and below it the timeline with the entries it refers to. `children`: between them. */
export const ExplainedTimeline = ({
  callId,
  timeline,
  onSeek,
  children,
}: KeptTimelineProps & { callId: string | undefined; children?: ReactNode }) => {
  const below = useRef<HTMLDivElement>(null)
  const [wanted, setWanted] = useState<{ sequence: number }>()
  const show = (sequence: number): void => {
    // Blurs the clicked element, so that the list takes the focus.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    setWanted({ sequence })
    below.current?.scrollIntoView({ block: 'start' })
  }
  const { data } = timeline
  return (
    <>
      {callId !== undefined && data && data.entries.length > 0 && <ExplanationSection callId={callId} picture={data} onEvidence={show} />}
      {children}
      <div ref={below}>
        <KeptTimeline timeline={timeline} onSeek={onSeek} wanted={wanted} />
      </div>
    </>
  )
}

const KeptTimeline = ({ timeline: { data, error, refetch }, onSeek, wanted }: KeptTimelineProps) => {
  const say = useText(text)
  const isMissing = error?.status === 404
  return (
    <Section title={say.happened} flush>
      {data ? (
        <TimelineView picture={data} onSeek={onSeek} wanted={wanted} />
      ) : isMissing ? (
        <EmptyState icon="history" title={say.noTimelineTitle}>
          {say.noTimelineBody}
        </EmptyState>
      ) : error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <WaitingRows />
      )}
    </Section>
  )
}
