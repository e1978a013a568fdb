import { Tabs, Text } from '@mantine/core'
import { useCallback, useState } from 'react'
import type { FeedState } from '#api/use-live-feed.ts'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { ConversationView } from './conversation-view.tsx'
import { EntriesView, type About } from './entries-view.tsx'
import { text } from './text.ts'
import type { TimelinePicture } from './timeline-book.ts'
import classes from './timeline-view.module.css'
import { Waterfall } from './waterfall.tsx'

export interface TimelineViewProps {
  picture: TimelinePicture
  /** Only while the call is running. */
  feed?: FeedState
  /** The viewing user is the caller. */
  own?: boolean
  /** Seeks in the recording, in milliseconds since 1970. */
  onSeek?: ((at: number) => void) | undefined
  /** An entry to open, from outside the timeline; a new object repeats the request. */
  wanted?: { sequence: number } | undefined
}

/** A call's timeline: as a conversation, step by step, and as times. */
export const TimelineView = ({ picture, feed, own = false, onSeek, wanted }: TimelineViewProps) => {
  const say = useText(text)
  const [tab, setTab] = useState<string | null>('conversation')
  const [about, setAbout] = useState<About>()
  const [followed, setFollowed] = useState(wanted)
  if (wanted && wanted !== followed) {
    setFollowed(wanted)
    setAbout(wanted)
    setTab('entries')
  }
  const open = (wanted: string | null): void => {
    setAbout(undefined)
    setTab(wanted)
  }
  const explain = useCallback((eventId: string) => {
    setAbout({ eventId })
    setTab('entries')
  }, [])
  const { problems } = picture
  return (
    <Tabs value={tab} onChange={open} keepMounted={false} className={classes.tabs}>
      <Tabs.List className={classes.list}>
        <Tabs.Tab value="conversation">{say.conversation}</Tabs.Tab>
        <Tabs.Tab value="entries" rightSection={problems > 0 && <span className={classes.count}>{problems}</span>}>
          {say.technical}
          {problems > 0 && <span className="visually-hidden">, {say.problems(problems)}</span>}
        </Tabs.Tab>
        <Tabs.Tab value="latency">{say.latency}</Tabs.Tab>
        {feed && <FeedBadge feed={feed} />}
      </Tabs.List>
      <Tabs.Panel value="conversation">
        <ConversationView
          utterances={picture.utterances}
          turns={picture.turns}
          startedAt={picture.startedAt}
          own={own}
          isLive={feed !== undefined}
          onSeek={onSeek}
          onExplain={explain}
        />
      </Tabs.Panel>
      <Tabs.Panel value="entries">
        <Forgotten count={picture.forgotten} />
        <EntriesView key={JSON.stringify(about)} picture={picture} isLive={feed !== undefined} about={about} />
      </Tabs.Panel>
      <Tabs.Panel value="latency">
        <Waterfall turns={picture.turns} />
      </Tabs.Panel>
    </Tabs>
  )
}

const FeedBadge = ({ feed }: { feed: FeedState }) => {
  const say = useText(text)
  return (
    <span className={classes.feed}>
      <StatusBadge tone={feed === 'live' ? 'good' : feed === 'broken' ? 'warning' : 'quiet'} pulse={feed === 'live'}>
        {say.feed[feed]}
      </StatusBadge>
    </span>
  )
}

const Forgotten = ({ count }: { count: number }) => {
  const say = useText(text)
  const format = useFormat()
  if (count === 0) return null
  return (
    <Text size="xs" c="dimmed" px="md" pt="sm">
      {say.forgotten(format.number(count))}
    </Text>
  )
}
