import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { api, type ApiError } from '#api/client.ts'
import { useLiveFeed, type FeedState } from '#api/use-live-feed.ts'
import type { Language } from '#words/languages.ts'
import { useLanguage } from '#words/use-text.tsx'
import { TimelineBook, type TimelinePicture } from './timeline-book.ts'

/** Milliseconds; faster changes cannot be read and would only cost time. */
const redrawIntervalMs = 100

/** The timeline of a running call, from its beginning. Undefined: there is no call yet. */
export const useLiveTimeline = (callId: string | undefined): { picture: TimelinePicture; feed: FeedState } => {
  const { language } = useLanguage()
  const book = useMemo(() => ({ callId, pages: new TimelineBook() }), [callId])
  const [drawn, setDrawn] = useState({ callId, picture: book.pages.picture() })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const draw = useCallback(() => {
    timer.current = undefined
    setDrawn({ callId: book.callId, picture: book.pages.picture() })
  }, [book])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [draw],
  )
  const path = callId === undefined ? undefined : `/v2/timeline?callId=${encodeURIComponent(callId)}&language=${language}`
  const feed = useLiveFeed<TimelineEntry>(path, (entries) => {
    book.pages.add(entries)
    timer.current ??= setTimeout(draw, redrawIntervalMs)
  })
  return { picture: drawn.callId === callId ? drawn.picture : empty, feed }
}

const empty = new TimelineBook().picture()

/** The timeline of a finished call. */
export const useKeptTimeline = (callId: string | undefined): UseQueryResult<TimelinePicture, ApiError> => {
  const { language } = useLanguage()
  return useQuery<TimelinePicture, ApiError>({
    queryKey: ['getTimeline', callId, language],
    queryFn: () => readTimeline(callId ?? '', language),
    enabled: callId !== undefined,
  })
}

const readTimeline = async (callId: string, language: Language): Promise<TimelinePicture> => {
  const book = new TimelineBook()
  let after = 0
  for (let more = true; more;) {
    const page = await api.getTimeline({ callId, after, language })
    book.add(page.items)
    after = page.items.at(-1)?.sequence ?? after
    more = page.more && page.items.length > 0
  }
  return book.picture()
}
