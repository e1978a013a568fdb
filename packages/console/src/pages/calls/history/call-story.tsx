import { useRef } from 'react'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { AboutEntry } from './about-entry.tsx'
import { CallResultSection } from './call-result.tsx'
import type { HistoryEntry } from '../parts/history-entry.ts'
import { Recordings } from '../recording/recordings.tsx'
import { text } from '../parts/text.ts'
import type { TimelinePicture } from '../timeline/timeline-book.ts'
import { TimelineView } from '../timeline/timeline-view.tsx'
import { useKeptTimeline } from '../timeline/use-timeline.ts'
import type { Seeker } from '../recording/wave-player.tsx'

/** A call that is over: how it went, how it sounded, what happened in it. */
export const CallStory = ({ entry }: { entry: HistoryEntry }) => {
  const seeker = useRef<Seeker>(undefined)
  const timeline = useKeptTimeline(entry.callId)
  const recordedAt = entry.recordings?.length === 1 ? recordingBegan(timeline.data) : undefined
  const onSeek = recordedAt === undefined ? undefined : (at: number) => seeker.current?.playFrom((at - recordedAt) / 1000)
  return (
    <>
      <AboutEntry entry={entry} ended={timeline.data?.ended?.explanation} />
      <StoryResult picture={timeline.data} callId={entry.callId} />
      <Recordings entry={entry} seeker={seeker} />
      <KeptTimeline timeline={timeline} onSeek={onSeek} />
    </>
  )
}

/** Only where an assistant noted something: of other calls there is none, and nobody need ask. */
const StoryResult = ({ picture, callId }: { picture: TimelinePicture | undefined; callId: string | undefined }) => {
  const noted = picture?.entries.find(({ kind }) => kind === 'note')
  return noted?.flowId === undefined || callId === undefined ? null : <CallResultSection flowId={noted.flowId} callId={callId} />
}

const recordingBegan = (picture: TimelinePicture | undefined): number | undefined =>
  picture?.entries.find((entry) => entry.kind === 'call' && entry.state === 'recording')?.at

type KeptTimelineProps = { timeline: ReturnType<typeof useKeptTimeline>; onSeek?: ((at: number) => void) | undefined }

export const KeptTimeline = ({ timeline: { data, error, refetch }, onSeek }: KeptTimelineProps) => {
  const say = useText(text)
  const isMissing = error?.status === 404
  return (
    <Section title={say.happened} flush>
      {data ? (
        <TimelineView picture={data} onSeek={onSeek} />
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
